import { join, resolve } from 'node:path';
import { findCacheFolder } from '../../../scripts/cache/findCacheFolder';

const NAME = 'n8n-nodes-video-generation';

describe('finding the cache folder', () => {
	it('lies where the system keeps caches', () => {
		expect(findCacheFolder({}, 'linux', '/home/ada')).toBe(join('/home/ada', '.cache', NAME));
		expect(findCacheFolder({}, 'darwin', '/Users/ada')).toBe(
			join('/Users/ada', 'Library', 'Caches', NAME),
		);
		expect(findCacheFolder({ LOCALAPPDATA: '/local' }, 'win32', '/ada')).toBe(join('/local', NAME));
	});

	it('lies in XDG_CACHE_HOME, unless that is relative, which the standard has ignored', () => {
		expect(findCacheFolder({ XDG_CACHE_HOME: '/xdg' }, 'linux', '/home/ada')).toBe(
			join('/xdg', NAME),
		);
		expect(findCacheFolder({ XDG_CACHE_HOME: 'xdg' }, 'linux', '/home/ada')).toBe(
			join('/home/ada', '.cache', NAME),
		);
	});

	it('is the one the user names, before all others', () => {
		const env = { VIDEO_GENERATION_CACHE_DIR: 'here', XDG_CACHE_HOME: '/xdg' };
		expect(findCacheFolder(env, 'linux', '/home/ada')).toBe(resolve('here'));
	});
});
