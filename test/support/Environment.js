const { AsyncLocalStorage } = require('node:async_hooks');
const { TestEnvironment } = require('jest-environment-node');

// Ends a worker of jest as soon as it stops listening to jest, after its last test. It holds n8n's engine
// many times, which Node.js frees for longer than jest waits, and n8n 1 leaves a timer that never ends.
if (process.channel) {
	process.on('removeListener', (event) => {
		if (event === 'message') process.kill(process.pid, 'SIGKILL');
	});
}

// Each test file runs in a jest of its own, whose storage Node.js 20 asks at every promise of all later files.
const { run } = AsyncLocalStorage.prototype;
const used = new Set();
AsyncLocalStorage.prototype.run = function (...args) {
	used.add(this);
	return run.apply(this, args);
};

module.exports = class extends TestEnvironment {
	async teardown() {
		await super.teardown();
		for (const storage of used) storage.disable();
		used.clear();
	}
};
