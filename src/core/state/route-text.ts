/** Why a call went to its model, in a few words for readers. */

import type { CallRoute } from '../model/routing.js';

/** Returns nothing for the plain default: the agent's own model, in a step. */
export function listRouteTexts({ role, reason, after }: CallRoute): readonly string[] {
  return [
    ...(role === 'reasoner' ? [] : [`as ${role}`]),
    ...(reason === undefined ? [] : [`chosen: ${reason}`]),
    ...(after === undefined ? [] : [`after ${after.model} failed (${after.failure})`]),
  ];
}
