import type {
	BinaryHelperFunctions,
	IHttpRequestOptions,
	RequestHelperFunctions,
} from 'n8n-workflow';
import type { RetryOptions } from '../request/sendWithRetries';

/** What a download needs of n8n: the context of an operation has it, and that of a trigger. */
export interface DownloadContext {
	helpers: Pick<RequestHelperFunctions, 'httpRequest'> &
		Pick<BinaryHelperFunctions, 'prepareBinaryData'>;
}

/** One video that is to be downloaded. */
export interface VideoDownload {
	/** Where the video is, as the user or the service says it. */
	address: unknown;
	/** What the file is to be called; named by its address when left out. */
	fileName?: string;
	/** How often it may be asked for, and what ends the download. */
	retries: Omit<RetryOptions, 'requestKind'>;
	/** How the user lets n8n send requests. */
	settings?: Pick<IHttpRequestOptions, 'proxy' | 'skipSslCertificateValidation' | 'timeout'>;
}
