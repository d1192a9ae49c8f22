/** Displayed names that texts mention. */
export interface Terms {
	/** Names of fields, e.g. `Custom Prompt`. */
	fields: readonly string[];
	/** Names of operations, e.g. `Video: Get Many`, which texts call `Video > Get Many`. */
	operations: readonly string[];
}

/** Names of n8n's own controls that texts mention, too. */
const OF_N8N = ['Fetch Test Event'];

/**
 * Renders a text of the node as Markdown: links, names of fields in bold, names of the output's
 * fields as code, and operations as links to their descriptions.
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
	// The longest names are replaced first, in case one name begins with another.
	const titles = [...operations].sort((a, b) => b.length - a.length);
	return titles.reduce(
		(result, title) => result.replaceAll(title.replace(': ', ' > '), linkTo({ title })),
		coded,
	);
}

/** Returns GitHub's anchor for a heading. */
export function toAnchor(title: string): string {
	return title
		.toLowerCase()
		.replace(/[^\w\s-]/g, '')
		.replaceAll(' ', '-');
}

/** Returns a link to the description of an operation. */
export function linkTo({ title }: { title: string }): string {
	return `[${title}](#${toAnchor(title)})`;
}

export function closeSentence(sentence: string): string {
	return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
