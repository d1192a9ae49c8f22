import { Container } from '@n8n/di';
import { BinaryDataConfig, BinaryDataService } from 'n8n-core';

/**
 * n8n's binary store in its filesystem mode, below a folder.
 *
 * `@n8n/di` comes with n8n-core and is no dependency of this package: there must be one of it only.
 */
export async function startBinaryStore(folder: string): Promise<BinaryDataService> {
	const config = Object.create(BinaryDataConfig.prototype) as BinaryDataConfig;
	Container.set(
		BinaryDataConfig,
		Object.assign(config, {
			mode: 'filesystem',
			// Older versions of n8n ask for it.
			availableModes: ['filesystem'],
			localStoragePath: folder,
		}),
	);
	const service = Container.get(BinaryDataService);
	await service.init();
	return service;
}
