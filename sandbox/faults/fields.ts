import { type Fault, omitHeader, type Reply } from './Fault';

type JsonObject = Record<string, unknown>;
type Change = (body: JsonObject, reply: Reply) => void;

const isObject = (value: unknown): value is JsonObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** Creates a fault that changes replies that are a JSON object; other replies stay as they are. */
const inJson = (change: Change): Fault => ({ after: (reply) => changeJson(reply, change) });

function changeJson(reply: Reply, change: Change): Reply {
	if (!Buffer.isBuffer(reply.body)) return reply;
	if (!reply.headers['content-type']?.includes('json')) return reply;
	// Long queue ids are numbers that JavaScript cannot hold.
	const text = reply.body.toString().replace(/:(\d{17,})/g, ':"number $1"');
	const body: unknown = JSON.parse(text);
	if (!isObject(body)) return reply;
	change(body, reply);
	const headers = omitHeader(reply, 'content-length');
	const changed = JSON.stringify(body).replace(/"number (\d{17,})"/g, '$1');
	return { ...reply, headers, body: Buffer.from(changed) };
}

/** Returns the resources in an envelope, alone or in a list. */
const listResources = (body: JsonObject): JsonObject[] =>
	Object.values(body).flat().filter(isObject);

const addFields = (fields: JsonObject): Fault =>
	inJson((body) => {
		for (const holder of [...listResources(body), body]) Object.assign(holder, fields);
	});

/** Adds unspecified fields to the envelope and every resource. */
const extraFields = ({ fields }: { fields: JsonObject }): Fault => addFields(fields);

/** Adds an `error` key to a success; it is empty by default, as services write "no error". */
const errorKey = ({ value = '' }: { value?: unknown }): Fault => addFields({ error: value });

/** Gives a field of every resource another name. */
const renamedField = ({ field, to }: { field: string; to: string }): Fault =>
	inJson((body) => {
		for (const resource of listResources(body)) {
			if (!(field in resource)) continue;
			resource[to] = resource[field];
			Reflect.deleteProperty(resource, field);
		}
	});

/** Finds what holds a field, which may be a path: `newQueueItem.queueId`, `videos.0.id`. */
function findHolder(body: JsonObject, field: string): { holder?: object; name: string } {
	const path = field.split('.');
	const name = path.pop() ?? field;
	const holder = path.reduce<unknown>((value, each) => (value as JsonObject | null)?.[each], body);
	return typeof holder === 'object' && holder !== null ? { holder, name } : { name };
}

/** Leaves a field out, which may be a path. */
const missingField = ({ field }: { field: string }): Fault =>
	inJson((body) => {
		const { holder, name } = findHolder(body, field);
		if (holder) Reflect.deleteProperty(holder, name);
	});

/** Gives a field any other value; it may be a path. What lacks it gets it. */
const changedField = ({ field, value }: { field: string; value: unknown }): Fault =>
	inJson((body) => {
		const { holder, name } = findHolder(body, field);
		if (holder) Object.assign(holder, { [name]: value });
	});

/**
 * Writes the body in any other way, for tests in the process of the sandbox. A text is sent as it is: JavaScript has no
 * long numbers.
 */
const rewrittenBody = ({ rewrite }: { rewrite: (body: JsonObject) => string }): Fault => ({
	after: (reply) => {
		if (!Buffer.isBuffer(reply.body)) return reply;
		const body = Buffer.from(rewrite(JSON.parse(reply.body.toString()) as JsonObject));
		return { ...reply, headers: omitHeader(reply, 'content-length'), body };
	},
});

/** Replaces the word `success` of a good reply's envelope, for example with `Success` or `ok`. */
const envelopeStatus = ({ word }: { word: unknown }): Fault =>
	inJson((body, { status }) => {
		if (status === 200) body.status = word;
	});

interface StatusWordOptions {
	word: string;
	/** Replaces only this word; by default every word. */
	insteadOf?: string;
	/** Also adds a `videoUrl`: a service may send one without saying that the item is finished. */
	videoUrl?: string;
}

/** Replaces the status word of queue items. */
const statusWord = ({ word, insteadOf, videoUrl }: StatusWordOptions): Fault =>
	inJson(({ details, newQueueItem }) => {
		for (const item of [details, newQueueItem].filter(isObject)) {
			if (!('status' in item) || (insteadOf ?? item.status) !== item.status) continue;
			Object.assign(item, { status: word }, videoUrl === undefined ? {} : { videoUrl });
		}
	});

const ODD_ENTRIES = [
	null,
	7,
	'odd',
	true,
	[],
	{},
	{ id: 'odd-without-other-fields' },
	{ id: null, url: null, name: null, projectId: null, createdAt: null, updatedAt: null },
	{ url: 'http://127.0.0.1:9/odd.mp4', name: 'Odd', createdAt: '2026-01-15T12:00:00.000Z' },
];

/** Puts invalid entries before, between and after the entries of a list. */
const oddEntries = ({ entries = ODD_ENTRIES }: { entries?: unknown[] }): Fault =>
	inJson((body) => {
		for (const [field, value] of Object.entries(body)) {
			if (Array.isArray(value)) body[field] = interleave(entries, value);
		}
	});

function interleave(odd: unknown[], good: unknown[]): unknown[] {
	const mixed = good.flatMap((entry, index) => [...odd.slice(index, index + 1), entry]);
	return [...mixed, ...odd.slice(good.length)];
}

/** Faults of a JSON reply's fields. */
export const FIELD_FAULTS = {
	extraFields,
	errorKey,
	renamedField,
	missingField,
	changedField,
	rewrittenBody,
	envelopeStatus,
	statusWord,
	oddEntries,
};
