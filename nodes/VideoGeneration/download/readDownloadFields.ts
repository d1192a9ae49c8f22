import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import type { RequestStep } from '../request/prepareRequest';
import { addDetails } from '../request/prepareRequest';
import { readParameter } from '../request/readParameter';
import { readText } from '../request/readText';
import { readVideoAddress, showAddress } from './readVideoAddress';

export interface DownloadFields {
	address: URL;
	/** The name of the item's binary field that the file is put into. */
	binaryPropertyName: string;
	fileName: string;
}

/**
 * The fields of "Video > Download".
 *
 * @throws a NodeOperationError that names the field which is of no use
 */
export function readDownloadFields(context: IExecuteSingleFunctions): DownloadFields {
	const fail = (message: string, description: string) =>
		new NodeOperationError(context.getNode(), message, {
			itemIndex: context.getItemIndex(),
			description,
		});
	const address = readVideoAddress(readParameter(context, 'videoUrl'));
	if (!(address instanceof URL)) throw fail(address.message, address.description);
	const binaryPropertyName = readText(context.getNodeParameter('binaryPropertyName', 'data'));
	if (binaryPropertyName === '') {
		throw fail(
			'"Put Output File in Field" is empty',
			'Enter a name for the field that the file is put into, such as data. Nothing was sent.',
		);
	}
	const fileName = readText(context.getNodeParameter('options.fileName', ''));
	return { address, binaryPropertyName, fileName };
}

/** Keeps an item without a usable address from being sent, and notes the address for its `details`. */
export const checkDownloadFields: RequestStep = (context, request) => {
	const { address } = readDownloadFields(context);
	addDetails(request, { videoUrl: showAddress(address) });
};
