import { Container } from '@n8n/di';
import { BinaryDataConfig, BinaryDataService } from 'n8n-core';

/**
 * Starts n8n's binary store in its filesystem mode, below a folder.
 *
 * `@n8n/di` comes with n8n-core and is not a dependency of this package: there must be only one
 * copy of it.
 */
export async function startBinaryStore(folder: string): Promise<BinaryDataService> {
	const config = Object.create(BinaryDataConfig.prototype) as BinaryDataConfig;
	Container.set(
		BinaryDataConfig,
		Object.assign(config, {
			mode: 'filesystem',
			// Older versions of n8n read this field.
			availableModes: ['filesystem'],
			localStoragePath: folder,
		}),
	);
	const service = Container.get(BinaryDataService);
	await service.init();
	return service;
}
