import { readStartOptions } from '../../../scripts/start/readStartOptions';
import { ReadableError } from '../../../scripts/ReadableError';

describe('the options of npm start', () => {
	it('are none unless given', () => {
		expect(readStartOptions([])).toEqual({ once: false, port: undefined, sandboxPort: undefined });
	});

	it('are read from the command line', () => {
		expect(readStartOptions(['--once', '--port', '6000', '--sandbox-port=6001'])).toEqual({
			once: true,
			port: 6000,
			sandboxPort: 6001,
		});
	});

	it.each(['0', '65536', '-1', '1.5', 'abc', ''])('refuse "%s" as a port', (text) => {
		expect(() => readStartOptions([`--port=${text}`])).toThrow(
			`--port needs a number from 1 to 65535, not "${text}".`,
		);
	});

	it.each([['--onec'], ['extra'], ['--port']])('point to the help for "%s"', (arg) => {
		expect(() => readStartOptions([arg])).toThrow(ReadableError);
		expect(() => readStartOptions([arg])).toThrow('npm start -- --help');
	});
});
