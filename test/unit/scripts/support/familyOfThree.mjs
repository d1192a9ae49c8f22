import { spawn } from 'node:child_process';

// A process that does not want to end, with a child in its group and a grandchild in a group of its
// own, which do not want to either. Says their numbers as soon as all three ignore SIGTERM.
process.on('SIGTERM', () => undefined);
setInterval(() => undefined, 1000);

const [generation = '1', ...elders] = process.argv.slice(2);
const family = [...elders, String(process.pid)];
if (generation === '3') {
	console.log(family.join(' '));
} else {
	const args = [process.argv[1], String(Number(generation) + 1), ...family];
	spawn(process.execPath, args, { stdio: 'inherit', detached: generation === '2' });
}
