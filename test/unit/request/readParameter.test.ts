import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { readParameter } from '../../../nodes/VideoGeneration/request/readParameter';

const EVALUATED = 'evaluated by n8n';

/** What a step sees of n8n: the raw parameter, the item, and what n8n would make of the two. */
function createContext(raw: unknown, json: object): IExecuteSingleFunctions {
	return {
		getNode: () => ({ parameters: { queueId: raw } }),
		getInputData: () => ({ json }),
		getNodeParameter: (name: string, fallback: unknown) =>
			name === 'queueId' ? EVALUATED : fallback,
	} as unknown as IExecuteSingleFunctions;
}

describe('The value of a text parameter', () => {
	test.each(['={{ $json.queueId }}', '={{$json.queueId}}'])(
		'is taken from the item where all it says is %s',
		(raw) => {
			for (const queueId of ['q-1', '', 7, null, ['a']]) {
				expect(readParameter(createContext(raw, { queueId }), 'queueId')).toBe(queueId);
			}
		},
	);

	test.each([
		'q-1',
		'={{ $json.id }}',
		'={{ $json.queueId.trim() }}',
		'={{ $json.queueId }}-2',
		'=a {{ $json.queueId }}',
		"={{ $json['queueId'] }}",
		'={{ $json.queueId + 1 }}',
		'{{ $json.queueId }}',
		'={{ $json.queueId\n}}',
		'={{ $json.toString }}',
		undefined,
	])('is for n8n to evaluate where it says %j', (raw) => {
		expect(readParameter(createContext(raw, { queueId: 'q-1' }), 'queueId')).toBe(EVALUATED);
	});
});
