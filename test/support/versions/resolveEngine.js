const path = require('node:path');

/** Packages that may be loaded only once: n8n's engine, and those that the tests share with it. */
const N8N = /^(n8n-core|n8n-workflow|@n8n\/di|@n8n\/config|@n8n\/backend-common)(\/|$)/;

/**
 * Resolves modules like jest, except that the tests and the built package find the n8n that was
 * installed for them.
 */
module.exports = function resolveEngine(request, options) {
	const isOurs = !options.basedir.split(path.sep).includes('node_modules');
	const basedir =
		isOurs && N8N.test(request) ? process.env.VIDEO_GENERATION_ENGINE : options.basedir;
	return options.defaultResolver(request, { ...options, basedir });
};
