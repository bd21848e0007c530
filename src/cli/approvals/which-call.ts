/** Which call is meant where none is named: the only one that waits for such a word. */

import type { OpenRequest } from '../../client/read/requests.js';
import { UsageError } from '../flags/usage-error.js';
import { waitingText } from './waiting-text.js';

export interface Wanted {
  readonly chainId: string;
  /** How the command is called. */
  readonly verb: string;
  /** What it can decide. */
  readonly kinds: readonly OpenRequest['kind'][];
  /** What it can decide as well, where nothing of these waits. */
  readonly otherwise?: readonly OpenRequest['kind'][];
}

/**
 * @param requests one at least
 * @throws Error when none fits
 */
export function fitting(
  requests: readonly OpenRequest[],
  { chainId, kinds, otherwise = [] }: Wanted,
): readonly OpenRequest[] {
  const ofKinds = (some: Wanted['kinds']) => requests.filter(({ kind }) => some.includes(kind));
  const fit = [kinds, otherwise].map(ofKinds).find((found) => found.length > 0);
  if (fit !== undefined) return fit;
  const open = requests.map((request) => waitingText(chainId, request));
  throw new Error(`No call of ${chainId} waits for this. ${open.join('\n')}`);
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
