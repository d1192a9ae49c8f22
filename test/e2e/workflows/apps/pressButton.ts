import axios from 'axios';

/** A browser's user agent: n8n takes no answer from the previews of chats and mail programs. */
const BROWSER = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' };

/**
 * Opens the link of a message's button in a browser.
 *
 * @param address n8n's address now: a restarted n8n has another port
 * @returns the status of n8n's response
 */
export async function pressButton(address: string, link: string): Promise<number> {
	const { pathname, search } = new URL(link);
	const { status } = await axios.get(`${address}${pathname}${search}`, {
		headers: BROWSER,
		...{ proxy: false, validateStatus: () => true },
	});
	return status;
}
