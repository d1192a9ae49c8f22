/** What texts speak of, as displayed. */
export interface Terms {
	/** `Custom Prompt` */
	fields: readonly string[];
	/** `Video: Get Many`, which texts call `Video > Get Many`. */
	operations: readonly string[];
}

/** n8n's own, which texts name, too. */
const OF_N8N = ['Fetch Test Event'];

/**
 * A text of the node as Markdown: links, names of fields in bold, names of the output's fields as
 * code, and operations as links to where they are described.
 */
export function renderText(text: string, { fields, operations }: Terms): string {
	const linked = text.replace(/<a href="([^"]+)">([^<]*)<\/a>/g, '[$2]($1)');
	const bold = linked.replace(/(?<!\w)['"]([^'"]+)['"](?!\w)/g, (quoted: string, name: string) =>
		fields.includes(name) || OF_N8N.includes(name)
			? `**${name}**`
			: /^[a-z]\w*$/.test(name)
				? `\`${name}\``
				: quoted,
	);
	const coded = bold.replace(
		/(?<![\w`/.])(queueId|videoUrl|downloadError|projectId)(?![\w`])/g,
		'`$1`',
	);
	// The longest name first: "Account > Get" is no part of another, but "Get" is the beginning of some.
	const titles = [...operations].sort((a, b) => b.length - a.length);
	return titles.reduce(
		(result, title) => result.replaceAll(title.replace(': ', ' > '), linkTo({ title })),
		coded,
	);
}

/** As GitHub names a heading. */
export function toAnchor(title: string): string {
	return title
		.toLowerCase()
		.replace(/[^\w\s-]/g, '')
		.replaceAll(' ', '-');
}

/** An operation as a link to where it is described. */
export function linkTo({ title }: { title: string }): string {
	return `[${title}](#${toAnchor(title)})`;
}

export function closeSentence(sentence: string): string {
	return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
