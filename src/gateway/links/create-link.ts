/** Creates a link for one request, as it is now. */

import { type ChainSource, readChain } from '../../client/index.js';
import { formatCallNotFound, listOpenRequests, type OpenRequest } from '../../core/engine/index.js';
import { LonghandError } from '../../core/lib/index.js';
import { type Chain, formatRoles, hasRole, isNameless } from '../../core/model/index.js';
import { type Duration, parseDuration } from '../../options/index.js';
import { findOpenQuestion, limitCall } from './limit-link.js';
import type { LinkSigner } from './link-token.js';

export interface LinkRequest {
  readonly call: string;
  /** The person who decides. */
  readonly by: string;
  readonly roles: readonly string[];
  /** Role of the viewer that the request is shown to. */
  readonly view: string;
  /** Id of the API key that creates the link, which ends when the key is revoked. Default: none. */
  readonly key?: string | null | undefined;
  /** Default 24 hours. Never after the request itself. */
  readonly expires?: Duration | undefined;
}

export interface CreatedLink {
  readonly token: string;
  readonly expiresAt: number;
}

const defaultLifetime = '24h';
const maxLifetimeMs = 30 * 86_400_000;

/**
 * @throws {LonghandError} `call_not_waiting` unless the call waits for approval, or for `limit`, the chain asks at one; `call_not_found` for a call that the chain does not
 *   have; `invalid_options` for a time that is too long, a person without a name, and roles that cannot decide the request
 */
export async function createLink(
  source: ChainSource,
  signer: LinkSigner,
  { call, by, roles, view, key = null, expires = defaultLifetime }: LinkRequest,
  now = Date.now(),
): Promise<CreatedLink> {
  const lifetimeMs = parseDuration(expires, 'expires');
  if (lifetimeMs > maxLifetimeMs)
    throw new LonghandError('invalid_options', 'Invalid `expires`: a link is valid for at most 30 days.');
  if (isNameless(by)) throw new LonghandError('invalid_options', 'Invalid `by`: a link is for a person with a name.');
  if (view === 'auditor')
    throw new LonghandError(
      'invalid_options',
      'Invalid `as`: a link shows masked content. Use another role than auditor.',
    );
  const { chain, closed } = await readChain(source);
  const sign = (request: Pick<OpenRequest, 'digest' | 'askedAt' | 'expiresAt'>): CreatedLink => {
    const expiresAt = Math.min(now + lifetimeMs, request.expiresAt ?? Number.POSITIVE_INFINITY);
    const { digest, askedAt } = request;
    const tenant = chain.state.input?.tenant ?? null;
    const link = { chainId: source.chainId, call, digest, askedAt, tenant, by, roles, view, key, expiresAt };
    return { token: signer.sign(link), expiresAt };
  };
  if (call === limitCall) {
    const open = closed === null ? findOpenQuestion(chain.state, now) : null;
    if (open === null) throw new LonghandError('call_not_waiting', 'The chain does not ask about a limit.');
    checkRoles(open.roles ?? [], roles);
    return sign({ digest: open.digest, askedAt: open.at, expiresAt: open.question.expiresAt });
  }
  const requests = closed === null ? listOpenRequests(chain.state, now) : [];
  const request = requests.find((each) => each.call === call && each.kind === 'approval');
  if (request === undefined) throw createNotWaitingError(chain, call, requests);
  checkRoles(request.roles.length === 0 ? [] : [...request.roles, ...(request.escalates?.roles ?? [])], roles);
  return sign(request);
}

function createNotWaitingError(
  { steps }: Pick<Chain, 'steps'>,
  id: string,
  open: readonly Pick<OpenRequest, 'call'>[],
): LonghandError {
  if (steps.some(({ calls }) => calls.some((each) => each.id === id)))
    return new LonghandError(
      'call_not_waiting',
      `Call ${id} is not awaiting approval. A link is for a request that is open.`,
    );
  const waiting = open.map(({ call }) => call);
  return new LonghandError('call_not_found', formatCallNotFound(id, waiting));
}

/** A link that its chain would reject is a mistake, found here. */
function checkRoles(accepted: readonly string[], roles: readonly string[]): void {
  if (accepted.length === 0 || hasRole(roles, accepted)) return;
  throw new LonghandError(
    'invalid_options',
    `The request needs a person with ${formatRoles(accepted)}. Create the link with one of them.`,
  );
}
