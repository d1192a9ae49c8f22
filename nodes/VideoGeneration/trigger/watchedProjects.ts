import type { IDataObject } from 'n8n-workflow';
import { readText } from '../request/readText';
import { HASH_LENGTH, hashText } from './hashText';

/** @param projectIds empty for all projects */
export function isOfProjects({ projectId }: IDataObject, projectIds: readonly string[]): boolean {
	return projectIds.length === 0 || projectIds.includes(readText(projectId));
}

/** The choice of projects as a cursor holds it: the same for any order; empty for all projects. */
export function formatProjects(projectIds: readonly string[]): string {
	return [...new Set(projectIds.map(hashText))].sort().join('');
}

/** @param projects what `formatProjects` has made */
export function isAmongProjects({ projectId }: IDataObject, projects: string): boolean {
	const hash = hashText(readText(projectId));
	for (let at = 0; at < projects.length; at += HASH_LENGTH) {
		if (projects.startsWith(hash, at)) return true;
	}
	return projects === '';
}
