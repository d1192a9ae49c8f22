import { brokenHttp } from './brokenHttp';
import { brokenTls } from './brokenTls';
import { commas } from './commas';
import { contentType } from './contentType';
import { cutOff } from './cutOff';
import { emptyBody } from './emptyBody';
import { encoding } from './encoding';
import { endlessBody } from './endlessBody';
import { envelopeStatus } from './envelopeStatus';
import { errorEnvelope } from './errorEnvelope';
import { errorKey } from './errorKey';
import { extraFields } from './extraFields';
import { hang } from './hang';
import { html } from './html';
import { latency } from './latency';
import { leavesQueue } from './leavesQueue';
import { missingField } from './missingField';
import { nestedJson } from './nestedJson';
import { oddEntries } from './oddEntries';
import { redirect } from './redirect';
import { reset } from './reset';
import { slowBody } from './slowBody';
import { status } from './status';
import { statusWord } from './statusWord';
import { textBefore } from './textBefore';
import { tooManyRequests } from './tooManyRequests';
import { wrongLength } from './wrongLength';

/** Every kind of fault by its name. */
export const FAULT_KINDS = {
	brokenHttp,
	brokenTls,
	commas,
	contentType,
	cutOff,
	emptyBody,
	encoding,
	endlessBody,
	envelopeStatus,
	errorEnvelope,
	errorKey,
	extraFields,
	hang,
	html,
	latency,
	leavesQueue,
	missingField,
	nestedJson,
	oddEntries,
	redirect,
	reset,
	slowBody,
	status,
	statusWord,
	textBefore,
	tooManyRequests,
	wrongLength,
};
