import type { Project } from './model';

const ordinary = { cost: 1, fails: false, durations: {} };

/**
 * The projects at the start. Their orders by creation and by last update are different. The one that was updated last,
 * which the first example takes, costs 1 credit a video.
 */
export const SEED_PROJECTS = {
	teaser: {
		...ordinary,
		id: 'project-product-teaser',
		accountId: 'main',
		name: 'Product teaser',
		createdAt: Date.parse('2025-03-04T08:15:00.000Z'),
		updatedAt: Date.parse('2025-12-01T07:05:00.000Z'),
		picture: 'product-teaser',
	},
	tour: {
		...ordinary,
		id: 'project-city-tour',
		accountId: 'main',
		name: 'City tour',
		createdAt: Date.parse('2025-05-19T10:00:00.000Z'),
		updatedAt: Date.parse('2025-06-02T09:30:00.000Z'),
		picture: 'city-tour',
	},
	/** Costs 3 credits a video. */
	costly: {
		...ordinary,
		id: 'project-launch-film',
		accountId: 'main',
		name: 'Launch film (3 credits)',
		createdAt: Date.parse('2025-01-12T14:45:30.000Z'),
		updatedAt: Date.parse('2025-11-20T16:40:12.345Z'),
		cost: 3,
		picture: 'launch-film',
	},
	/** Its generations always fail. */
	failing: {
		...ordinary,
		id: 'project-broken-storyboard',
		accountId: 'main',
		name: 'Broken storyboard (always fails)',
		createdAt: Date.parse('2025-08-30T18:20:00.000Z'),
		updatedAt: Date.parse('2025-09-01T11:11:11.000Z'),
		fails: true,
		picture: 'product-teaser',
	},
	/** Belongs to the account `other`. */
	foreign: {
		...ordinary,
		id: 'project-garden-story',
		accountId: 'other',
		name: 'Garden story',
		createdAt: Date.parse('2025-02-02T12:00:00.000Z'),
		updatedAt: Date.parse('2025-10-10T10:10:10.000Z'),
		picture: 'city-tour',
	},
} as const satisfies Record<string, Readonly<Project>>;
