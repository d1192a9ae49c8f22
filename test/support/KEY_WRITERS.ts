const getHex = (sign: string) => sign.charCodeAt(0).toString(16).padStart(2, '0');
const inJson = (sign: string) => `\\u00${getHex(sign)}`;
const inLink = (sign: string) => `%${getHex(sign)}`;
const inPage = (sign: string) => `&#${sign.charCodeAt(0)};`;

/** Some names of HTML. */
const NAMES: Record<string, string> = {
	...{ '"': 'quot', '%': 'percnt', '&': 'amp', "'": 'apos', '+': 'plus', '/': 'sol', ':': 'colon' },
	...{ '<': 'lt', '=': 'equals', '>': 'gt', _: 'lowbar' },
};

/** How serializers write a character of the key, which is hidden in all of these. */
export const KEY_WRITERS: Record<string, (sign: string) => string> = {
	'as it was sent': String,
	JSON: (sign) => JSON.stringify(sign).slice(1, -1),
	'JSON with each slash escaped, as PHP does': (sign) => sign.replace('/', '\\/'),
	'JSON by its code, as Gson and PHP do': inJson,
	'JSON in upper case, as .NET does': (sign) => `\\u00${getHex(sign).toUpperCase()}`,
	'JSON inside of JSON': (sign) => JSON.stringify(inJson(sign)).slice(1, -1),
	'a link': encodeURIComponent,
	'a link in lower case': inLink,
	'a link inside of a link': (sign) => inLink(sign).replace('%', '%25'),
	'a web page in numbers': inPage,
	'a web page in long numbers': (sign) => `&#00${sign.charCodeAt(0)};`,
	'a web page in hexadecimal numbers': (sign) => `&#x00${getHex(sign)};`,
	'a web page in hexadecimal numbers in upper case': (sign) => `&#X${getHex(sign).toUpperCase()};`,
	'a web page in names': (sign) => (sign in NAMES ? `&${NAMES[sign]};` : sign),
	'a web page inside of JSON': (sign) => `\\u0026#x${getHex(sign)};`,
	'a web page inside of a link': (sign) => inPage(sign).replace('&', '%26'),
	'a web page inside of a web page': (sign) => `&amp;#${sign.charCodeAt(0)};`,
};

/** No reader undoes more: a service may write a percent sign a hundred thousand times over. */
const MAX_TIMES = 20;

/** Undoes all of these, as a reader could. */
export function decodeKey(written: string): string {
	const toSign = (_all: string, digits: string) => String.fromCharCode(parseInt(digits, 16));
	const signs = Object.fromEntries(Object.entries(NAMES).map(([sign, name]) => [name, sign]));
	let text = written;
	for (let before = '', times = 0; before !== text && times < MAX_TIMES; times++) {
		before = text;
		text = text
			.replace(/\\+u00([\da-f]{2})/gi, toSign)
			.replace(/%([2-7][\da-f])/gi, toSign)
			.replace(/&#x0*([\da-f]{2});/gi, toSign)
			.replace(/&#0*(\d{2,3});/g, (_all, code: string) => String.fromCharCode(Number(code)))
			.replace(/&([a-z]+);/g, (all, name: string) => signs[name] ?? all)
			.replace(/\\+(?=["/])/g, '');
	}
	return text;
}
