const { TestEnvironment } = require('jest-environment-node');

// Ends a worker of jest as soon as it stops listening to jest, after its last test. It holds n8n's engine
// many times, which Node.js frees for longer than jest waits, and n8n 1 leaves a timer that never ends.
if (process.channel) {
	process.on('removeListener', (event) => {
		if (event === 'message') process.kill(process.pid, 'SIGKILL');
	});
}

module.exports = TestEnvironment;
