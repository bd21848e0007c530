/** Which provider answered a call, and why, in a few words for readers. */

import type { AnsweringModel, CallRoute } from '../../model/index.js';

/** Returns nothing for the plain default: the agent's own model, in a step. */
export function listRouteTexts({ role, reason, after }: CallRoute): readonly string[] {
  return [
    ...(role === 'reasoner' ? [] : [`as ${role}`]),
    ...(reason === undefined ? [] : [`chosen: ${reason}`]),
    ...(after === undefined ? [] : [`after ${after.model} failed (${after.failure})`]),
  ];
}

/** `azure (azure-east, eu)`: the provider, with the endpoint and the region where they are known. */
export function formatProvider({
  provider,
  endpoint,
  region,
}: Pick<AnsweringModel, 'provider' | 'endpoint' | 'region'>): string {
  const places = [endpoint, region].filter((place) => place !== undefined);
  return [provider ?? 'unknown', ...(places.length === 0 ? [] : [`(${places.join(', ')})`])].join(' ');
}
