import axios from 'axios';

interface RecordedRequest {
	method: string;
	operation?: string;
	url: string;
}

/** What the sandbox was asked for, as lines to print: each kind of request with how often it came. */
export async function describeRequests(sandboxAddress: string): Promise<string[]> {
	const { data } = await axios.get<{ requests: RecordedRequest[] }>(
		`${sandboxAddress}/_sandbox/requests`,
	);
	const counts = new Map<string, number>();
	for (const { method, url } of data.requests) {
		const path = new URL(url, sandboxAddress).pathname.replace(/[\da-f-]{36}/, '…');
		const kind = `${method} ${path}`;
		counts.set(kind, (counts.get(kind) ?? 0) + 1);
	}
	return [...counts].map(([kind, count]) => `${String(count).padStart(2)} × ${kind}`);
}
