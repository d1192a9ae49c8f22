import type { FailureContext } from '../failures/FailureText';
import type { OperationPolicy } from '../request/prepareRequest';
import { performDownload } from './performDownload';

/** What makes an error say "the video's host", which is not the video service. */
export const VIDEO_HOST: FailureContext = { requestKind: 'read', isOfVideoHost: true };

/** Asks the video's host instead of the service, and stores what comes. */
export const DOWNLOAD: OperationPolicy = { ...VIDEO_HOST, perform: performDownload };
