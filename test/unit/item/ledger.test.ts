import { keepPlain } from '../../../nodes/VideoGeneration/item/ledger';

test('Of a response, plain fields are kept with short texts and whole addresses, and nothing that may be secret', () => {
	const address = `https://example.com/${'a'.repeat(300)}`;
	const kept = keepPlain({
		...{ queueId: 'q', generationProgress: 5, isNew: true, projectId: null, missing: undefined },
		...{ videoUrl: address, status: 'p'.repeat(300) },
		...{ nested: { a: 1 }, list: [1], video: { id: 'v', apiKey: 'k' } },
		...{ customPrompt: 'The sea', apiKey: 'k', accessToken: 't', errorMessage: 'e' },
	});
	expect(kept).toEqual({
		...{ queueId: 'q', generationProgress: 5, isNew: true, projectId: null },
		...{ videoUrl: address, status: 'p'.repeat(200), video: { id: 'v' } },
	});
});
