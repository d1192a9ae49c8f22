/** Whether there is a process with this number. */
export function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		// A process of another user is there, though it may not be signalled.
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}
