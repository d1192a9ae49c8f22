import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import type { Sandbox } from '../../sandbox/Sandbox';
import {
	DATES,
	type Form as ListForm,
	keysOf,
	listChanges,
	selectListed,
	USUAL as USUAL_LIST,
	writeEntry,
	writeList,
} from './forms';

/** How a service writes the states of an item. */
const WORDS: Record<string, Record<string, string>> = {
	usual: {},
	others: { pending: 'queued', processing: 'making', completed: 'SUCCEEDED', failed: 'error' },
	unknown: { completed: 'published' },
};

/** How a service writes. */
export interface Form extends ListForm {
	/** The name of the field with a state. */
	statusName: 'status' | 'state';
	words: keyof typeof WORDS;
	/** Whether a queue ID of digits is a number. */
	isNumber: boolean;
	/** What tells whose a video is: its entry or its address names the queue ID, or the progress has the address. */
	tells: 'nothing' | 'field' | 'path' | 'progress';
}

export const USUAL: Form = {
	...USUAL_LIST,
	host: '127.0.0.1',
	statusName: 'status',
	words: 'usual',
	isNumber: true,
	tells: 'nothing',
};

const of = fc.constantFrom;
/** One thing that a service may write otherwise. */
export const change: fc.Arbitrary<Partial<Form>> = fc.oneof(
	...listChanges(['localhost', '127.0.0.1'], [8, 50, Infinity]),
	fc.record({ statusName: of('status', 'state') }),
	fc.record({ words: keysOf(WORDS) }),
	fc.record({ isNumber: fc.boolean() }),
	fc.record({ tells: of<Form['tells'][]>('nothing', 'field', 'path', 'progress') }),
);

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
			[form.statusName]: word,
			...others,
			...(told && { videoUrl: toAddress(videoId, form) }),
		};
		return JSON.stringify({ ...rest, details: written });
	});
	rewrite('video.getAll', ({ videos }, form) => {
		const all = (videos as IDataObject[]).map((entry, index) => ({
			id: entry.id as string,
			projectId: entry.projectId as string,
			url: toAddress(entry.id, form),
			count: index + 1,
			time: Date.parse(entry.createdAt as string),
		}));
		const entries = selectListed(all, form).map(({ id: made, ...video }) => {
			const { queueId } = sandbox.charges.find(({ videoId }) => videoId === made) ?? {};
			return writeEntry(video, form, { ...(form.tells === 'field' && { queueId }), made });
		});
		return writeList(entries);
	});
}
