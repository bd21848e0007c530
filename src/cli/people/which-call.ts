/** Which call is meant where none is named: the only one that waits for such a word. */

import type { OpenRequest } from '../../client/requests.js';
import { UsageError } from '../usage-error.js';

export interface Wanted {
  readonly chainId: string;
  /** How the command is called. */
  readonly verb: string;
  /** What it can decide. */
  readonly kinds: readonly OpenRequest['kind'][];
}

/** @throws Error when there is none */
export function fitting(requests: readonly OpenRequest[], { chainId, kinds }: Wanted): readonly OpenRequest[] {
  const fit = requests.filter(({ kind }) => kinds.includes(kind));
  if (fit.length > 0) return fit;
  if (requests.length === 0) throw new Error(`No call of ${chainId} waits for a person.`);
  throw new Error(`No call of ${chainId} waits for this. What waits: ${named(requests)}.`);
}

/** @throws Error when there is none, UsageError when there are several */
export function onlyCall(requests: readonly OpenRequest[], wanted: Wanted): OpenRequest {
  const fit = fitting(requests, wanted);
  const [only, ...others] = fit;
  if (only !== undefined && others.length === 0) return only;
  const { chainId, verb } = wanted;
  throw new UsageError(
    `Several calls of ${chainId} wait: ${named(fit)}. Name one: \`longhand ${verb} ${chainId} ${only?.call}\`.`,
  );
}

function named(requests: readonly OpenRequest[]): string {
  return requests.map(({ call, tool, kind }) => `${call} (${tool}, ${kind})`).join(', ');
}
