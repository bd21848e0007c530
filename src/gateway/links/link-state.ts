/** The state of a link: read from its chain's history each time, since nothing else records it. */

import { isNotRunning, type Longhand, readChain, resolveChainSource } from '../../client/index.js';
import { listOpenRequests, type OpenRequest } from '../../core/engine/index.js';
import { isLonghandError } from '../../core/lib/index.js';
import { type Chain, type Decision, findDecision } from '../../core/model/index.js';
import { findOpenQuestion, limitCall, type OpenQuestion } from './limit-link.js';
import type { Link } from './link-token.js';

export type LinkState =
  | { readonly kind: 'open'; readonly request: OpenRequest }
  /** The chain asks at a limit. */
  | { readonly kind: 'asking'; readonly open: OpenQuestion }
  /** Its person has decided, and the request waits for others. */
  | { readonly kind: 'used' }
  | { readonly kind: 'decided'; readonly decision: Decision }
  | { readonly kind: 'changed' }
  | { readonly kind: 'link_expired' }
  | { readonly kind: 'request_expired' }
  /** The chain ended without a decision. */
  | { readonly kind: 'ended' }
  /** The chain is gone, or its id is now that of another one. */
  | { readonly kind: 'missing' };

/** @throws errors of the server */
export async function readLinkState({ client }: Pick<Longhand, 'client'>, link: Link, now: number): Promise<LinkState> {
  if (link.expiresAt <= now) return { kind: 'link_expired' };
  const read = await findChain(client, link.chainId);
  if (read === null || (read.chain.state.input?.tenant ?? null) !== link.tenant) return { kind: 'missing' };
  const { chain, closed } = read;
  if (link.call === limitCall) {
    const open = closed === null ? findOpenQuestion(chain.state, now) : null;
    const isSame = open?.digest === link.digest && open.at === link.askedAt;
    return isSame ? { kind: 'asking', open } : { kind: closed === null ? 'changed' : 'ended' };
  }
  const request =
    closed === null ? listOpenRequests(chain.state, now).find(({ call }) => call === link.call) : undefined;
  if (request === undefined) return findClosedState(chain, link, closed !== null);
  const isSame = request.kind === 'approval' && request.digest === link.digest && request.askedAt === link.askedAt;
  if (!isSame) return { kind: 'changed' };
  return chain.state.seenCommandIds.includes(link.id) ? { kind: 'used' } : { kind: 'open', request };
}

async function findChain(client: Longhand['client'], chainId: string) {
  try {
    return await readChain(await resolveChainSource(client, chainId));
  } catch (error) {
    if (isNotRunning(error) || (isLonghandError(error) && goneCodes.has(error.code))) return null;
    throw error;
  }
}

const goneCodes: ReadonlySet<string> = new Set(['chain_not_found', 'chain_erased', 'run_not_found']);

function findClosedState({ steps }: Pick<Chain, 'steps'>, link: Link, hasEnded: boolean): LinkState {
  const call = steps.flatMap(({ calls }) => calls).find(({ id }) => id === link.call);
  const request = call?.requests?.find(({ requestedAt }) => requestedAt === link.askedAt);
  if (request === undefined) return { kind: hasEnded ? 'ended' : 'changed' };
  const decision = findDecision(request.decisions);
  if (decision === null) return { kind: hasEnded ? 'ended' : 'changed' };
  return decision.kind === 'expired' ? { kind: 'request_expired' } : { kind: 'decided', decision };
}
