import { hideKey } from '../../../nodes/VideoGeneration/request/hideKey';
import { readServiceMessage } from '../../../nodes/VideoGeneration/request/readServiceMessage';
import { RequestFailure } from '../../../nodes/VideoGeneration/failures/requestFailure';

const KEY = 'vg+live/7Hq2x';

async function hideIn(serviceMessage: string): Promise<string | undefined> {
	const failure = new RequestFailure('rejected', { serviceMessage });
	const context = { getCredentials: async () => await Promise.resolve({ apiKey: KEY }) };
	return (await hideKey(context as never, failure)).facts.serviceMessage;
}

describe('A key that the service repeats', () => {
	test.each([
		[`No such key: ${KEY}.`, 'No such key: [API key].'],
		[`/v1?key=${encodeURIComponent(KEY)}&a=1`, '/v1?key=[API key]&a=1'],
		[`${KEY} is not ${KEY}`, '[API key] is not [API key]'],
		['Nothing of it', 'Nothing of it'],
	])('is taken out of %j', async (words, expected) => {
		expect(await hideIn(words)).toBe(expected);
	});

	test('is taken out where it was cut with the words around it, wherever that is', async () => {
		for (let before = 280; before < 310; before++) {
			const words = readServiceMessage({ message: `${'x'.repeat(before)}${KEY} is not known` });
			const hidden = (await hideIn(words ?? '')) ?? '';
			expect(hidden).not.toContain(KEY.slice(0, 4));
		}
	});
});
