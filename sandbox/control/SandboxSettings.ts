import type { Durations } from '../domain/Durations';
import type { RateLimit } from '../domain/RateLimit';
import { DEFAULT_SERVICE_SETTINGS, type ServiceSettings } from '../domain/ServiceSettings';

/** Everything that can be changed while the sandbox runs. */
export interface SandboxSettings extends ServiceSettings {
	/** Added to every reply, in real time. */
	latencyMs: number;
	/** `false` switches the limits off. */
	rateLimit: RateLimit | false;
}

/** A missing setting, or a missing duration, stays as it is. */
export type SettingsChange = Partial<Omit<SandboxSettings, 'durations'>> & {
	durations?: Partial<Durations>;
};

export const DEFAULT_SETTINGS: Readonly<SandboxSettings> = {
	...DEFAULT_SERVICE_SETTINGS,
	latencyMs: 0,
	rateLimit: { max: 100, windowMs: 60_000 },
};

/** The settings with a change made to them. Fields of `change` that are no settings are ignored. */
export function changeSettings(settings: SandboxSettings, change: SettingsChange): SandboxSettings {
	const given = Object.entries<unknown>({ ...change }).filter(
		([name, value]) => name in settings && value !== undefined,
	);
	const durations = { ...settings.durations, ...change.durations };
	return { ...settings, ...(Object.fromEntries(given) as Partial<SandboxSettings>), durations };
}
