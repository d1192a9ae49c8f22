import { spawn } from 'node:child_process';

// A process that does not want to end, with a child and a grandchild that do not want to either. Prints
// their numbers as soon as all three ignore SIGTERM.
process.on('SIGTERM', () => undefined);
setInterval(() => undefined, 1000);

const [generation = '1', ...elders] = process.argv.slice(2);
const family = [...elders, String(process.pid)];
if (generation === '3') console.log(family.join(' '));
else
	spawn(process.execPath, [process.argv[1], String(Number(generation) + 1), ...family], {
		stdio: 'inherit',
	});
