const { TestEnvironment } = require('jest-environment-node');

// A worker of jest holds n8n's engine many times. Node.js frees that for longer than jest waits for the end
// of a worker.
if (process.channel) process.once('exit', () => process.kill(process.pid, 'SIGKILL'));

module.exports = TestEnvironment;
