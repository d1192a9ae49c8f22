/**
 * Whether a value of JSON has more levels than that: objects and lists inside each other. It calls
 * itself for those only: the video log may have a million entries, and they are flat.
 */
export function isDeeperThan(levels: number, value: object): boolean {
	if (levels === 0) return true;
	for (const key in value) {
		const inner = (value as Record<string, unknown>)[key];
		if (typeof inner === 'object' && inner !== null && isDeeperThan(levels - 1, inner)) return true;
	}
	return false;
}
