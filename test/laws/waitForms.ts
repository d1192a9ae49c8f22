import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import type { Sandbox } from '../../sandbox/Sandbox';
import { DATES, ENTRY_NAMES, IDS } from './forms';

/** How a service writes the states of an item. */
const WORDS: Record<string, Record<string, string>> = {
	usual: {},
	others: { pending: 'queued', processing: 'making', completed: 'SUCCEEDED', failed: 'error' },
	unknown: { completed: 'published' },
};

/** How a service writes. */
export interface Form {
	date: keyof typeof DATES;
	id: keyof typeof IDS;
	host: '127.0.0.1' | 'localhost';
	/** The names of fields that the specification has; the others are as it has them. */
	names: Partial<Record<'id' | 'url' | 'projectId' | 'createdAt' | 'status', string>>;
	/** How many of the newest videos are listed. */
	size: number;
	order: 'newestFirst' | 'oldestFirst';
	words: keyof typeof WORDS;
	/** Whether a queue ID of digits is a number. */
	isNumber: boolean;
	/** What tells whose a video is: its entry or its address names the queue ID, or the progress has the address. */
	tells: 'nothing' | 'field' | 'path' | 'progress';
}

export const USUAL: Form = {
	date: 'iso',
	id: 'text',
	host: '127.0.0.1',
	names: {},
	size: Infinity,
	order: 'oldestFirst',
	words: 'usual',
	isNumber: true,
	tells: 'nothing',
};

const of = fc.constantFrom;
const names = <Name extends string>(all: Record<Name, unknown>) =>
	of(...(Object.keys(all) as Name[]));
/** One thing that a service may write otherwise. */
export const change: fc.Arbitrary<Partial<Form>> = fc.oneof(
	fc.record({ date: names(DATES) }),
	fc.record({ id: names(IDS) }),
	fc.record({ host: of<Form['host'][]>('localhost', '127.0.0.1') }),
	fc.record({
		names: of<Form['names']>(...ENTRY_NAMES, { status: 'state' }),
	}),
	fc.record({ size: of(8, 50, Infinity) }),
	fc.record({ order: of<Form['order'][]>('newestFirst', 'oldestFirst') }),
	fc.record({ words: names(WORDS) }),
	fc.record({ isNumber: fc.boolean() }),
	fc.record({
		tells: of<Form['tells'][]>('nothing', 'field', 'path', 'progress'),
	}),
);

/** Whether dates can be read, and whether IDs tell nothing. */
export const isReadable = ({ date, names }: Form) =>
	!['none', 'unreadable'].includes(date) && names.createdAt === undefined;
export const isBlind = ({ id, names }: Form) =>
	['none', 'objects', 'longNumbers'].includes(id) || names.id !== undefined;

/** Has the service write in a form, which may be another one each time. */
export function write(sandbox: Sandbox, getForm: () => Form): void {
	const rewrite = (
		operation: 'queue.add' | 'queue.getProgress' | 'video.getAll',
		edit: (body: IDataObject, form: Form) => string | undefined,
	) => {
		const rewriteBody = (body: object) =>
			edit(body as IDataObject, getForm()) ?? JSON.stringify(body);
		sandbox.addFault({ kind: 'rewrittenBody', operation, rewrite: rewriteBody });
	};
	const toAddress = (videoId: unknown, { host, tells }: Form) => {
		const { queueId = '' } = sandbox.charges.find((each) => each.videoId === videoId) ?? {};
		const folder = tells === 'path' && queueId !== '' ? `${queueId}/` : '';
		return `${sandbox.url.replace('127.0.0.1', host)}/files/${folder}${videoId as string}.mp4`;
	};
	rewrite('queue.add', ({ newQueueItem, ...rest }, { date, isNumber }) => {
		const { createdAt, queueId } = newQueueItem as Record<string, string | number>;
		const item = {
			...(newQueueItem as IDataObject),
			queueId: isNumber ? queueId : String(queueId),
			createdAt: DATES[date](Date.parse(createdAt as string)),
		};
		return JSON.stringify({ ...rest, newQueueItem: item });
	});
	rewrite('queue.getProgress', ({ details, ...rest }, form) => {
		if (details === undefined) return undefined;
		const { status, videoUrl, ...others } = details as Record<string, string>;
		const [, videoId] = /([^/]+)\.mp4/.exec(videoUrl ?? '') ?? [];
		const { [status ?? '']: word = status } = WORDS[form.words] ?? {};
		const told = form.tells === 'progress' && videoId !== undefined;
		const written = {
			[form.names.status ?? 'status']: word,
			...others,
			...(told && { videoUrl: toAddress(videoId, form) }),
		};
		return JSON.stringify({ ...rest, details: written });
	});
	rewrite('video.getAll', ({ videos }, form) => {
		const { id = 'id', url = 'url', projectId = 'projectId', createdAt = 'createdAt' } = form.names;
		const dated = (videos as IDataObject[]).map((entry, index) => ({
			entry,
			count: index + 1,
			time: Date.parse(entry.createdAt as string),
		}));
		const newestFirst = dated.sort((a, b) => b.time - a.time).slice(0, form.size);
		const listed = form.order === 'newestFirst' ? newestFirst : newestFirst.reverse();
		const entries = listed.map(({ entry, count, time }) => {
			const { queueId } = sandbox.charges.find(({ videoId }) => videoId === entry.id) ?? {};
			const rest = {
				...(form.tells === 'field' && { queueId }),
				[url]: toAddress(entry.id, form),
				[projectId]: entry.projectId,
				[createdAt]: DATES[form.date](time),
				made: entry.id,
			};
			return `{"${id}":${IDS[form.id](count)},${JSON.stringify(rest).slice(1)}`;
		});
		return `{"status":"success","message":"","videos":[${entries.join(',')}]}`;
	});
}
