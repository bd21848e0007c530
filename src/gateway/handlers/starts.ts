/** Handlers of operations that start chains. */

import type { ForkOptions, StartOptions } from '../../client/index.js';
import { omitUndefined } from '../../core/lib/index.js';
import type { chainOperations } from '../../http/index.js';
import { canReach, type Identity } from '../identity/identity.js';
import type { Handlers } from '../request/handler.js';
import { GatewayError } from '../request/problems.js';
import { deriveChainId, resolveRequester } from '../request/requester.js';
import { findOrStart, type StartedOnce, toFollowUpInput, toForkInput, toStartInput } from './repeated-start.js';

type StartHandlers = Pick<Handlers<typeof chainOperations>, 'startChain' | 'followUp' | 'forkChain'>;

export const startHandlers: StartHandlers = {
  startChain: async ({ headers, body }, { longhand, identity }) => {
    const { agent, task, chainId: chosenId, ...options } = body;
    const requester = resolveRequester(identity, options);
    checkDirected(identity, options);
    if (chosenId !== undefined && identity.tenant !== null)
      throw new GatewayError('request_invalid', 'This credential may not choose ids. Send an idempotency key instead.');
    const key = headers['idempotency-key'];
    const startOptions: StartOptions = omitUndefined({ ...options, ...requester });
    if (key === undefined) {
      const chain = await longhand.start(agent, task, { ...startOptions, chainId: chosenId });
      return toResponse('chains', { chainId: chain.chainId, existed: false });
    }
    const chainId = chosenId ?? deriveChainId(agent, key, requester);
    const start = () => longhand.start(agent, task, { ...startOptions, chainId });
    const started = await findOrStart(longhand, {
      chainId,
      start,
      toInput: () => toStartInput(agent, task, startOptions),
    });
    return toResponse('chains', started);
  },

  followUp: async ({ headers, body: { text, ...options } }, { longhand, chain, identity }) => {
    const requester = resolveRequester(identity, options);
    checkDirected(identity, options);
    const key = headers['idempotency-key'];
    const followUpOptions: StartOptions = omitUndefined({ ...options, ...requester });
    // A thread may have later chains of other users.
    const reaches = (candidate: Parameters<typeof canReach>[1]) => canReach(identity, candidate);
    const start = (chainId?: string) =>
      chain.handle.followUp(text, { ...followUpOptions, chainId, reaches, ifExists: 'error' });
    if (key === undefined) return toResponse('..', { chainId: (await start()).chainId, existed: false });
    const chainId = deriveChainId(`${chain.agent}-reply`, `${chain.chainId} ${key}`, requester);
    const toInput: StartToInput = (started) => toFollowUpInput(started, text, followUpOptions);
    return toResponse('..', await findOrStart(longhand, { chainId, start: () => start(chainId), toInput }));
  },

  forkChain: async ({ headers, body: options }, { longhand, chain, identity }) => {
    const requester = resolveRequester(identity, options);
    checkDirected(identity, options);
    const key = headers['idempotency-key'];
    const forkOptions: ForkOptions = omitUndefined({ ...options, ...requester });
    const start = (chainId?: string) => longhand.fork(chain.chainId, { ...forkOptions, chainId });
    if (key === undefined) return toResponse('..', { chainId: (await start()).chainId, existed: false });
    const chainId = deriveChainId(`${chain.agent}-fork`, `${chain.chainId} ${key}`, requester);
    const toInput: StartToInput = (started) => toForkInput(started, chain.chainId, forkOptions);
    return toResponse('..', await findOrStart(longhand, { chainId, start: () => start(chainId), toInput }));
  },
};

type StartToInput = Parameters<typeof findOrStart>[1]['toInput'];

/** @param base the chains, relative to the address of the request: the gateway may be mounted below any path */
function toResponse(base: 'chains' | '..', { chainId, existed }: StartedOnce): Response {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  const body = JSON.stringify({ chainId, existed });
  if (existed) return new Response(body, { status: 200, headers });
  const location = `${base}/${encodeURIComponent(chainId)}`;
  return new Response(body, { status: 201, headers: { ...headers, location } });
}

/** Another model or other limits change what a chain may spend: that needs the scope of commands that direct chains. */
function checkDirected({ scopes }: Identity, options: Pick<StartOptions, 'model' | 'limits' | 'priority'>): void {
  const { model, limits, priority } = options;
  if (scopes.has('direct') || (model ?? limits ?? priority) === undefined) return;
  throw new GatewayError('scope_missing', 'A start with `model`, `limits` or `priority` needs the scope direct.');
}
