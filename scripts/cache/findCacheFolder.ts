import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

const NAME = 'n8n-nodes-video-generation';

/**
 * Where large installations lie that all checkouts of this project share: the user's cache folder,
 * or the one that `VIDEO_GENERATION_CACHE_DIR` names.
 */
export function findCacheFolder(
	env: NodeJS.ProcessEnv = process.env,
	platform: NodeJS.Platform = process.platform,
	home: string = homedir(),
): string {
	if (env.VIDEO_GENERATION_CACHE_DIR) return resolve(env.VIDEO_GENERATION_CACHE_DIR);
	// The XDG standard has relative paths ignored.
	if (env.XDG_CACHE_HOME && isAbsolute(env.XDG_CACHE_HOME)) return join(env.XDG_CACHE_HOME, NAME);
	if (platform === 'darwin') return join(home, 'Library', 'Caches', NAME);
	if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), NAME);
	return join(home, '.cache', NAME);
}
