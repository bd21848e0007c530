/** Handlers of operations that start chains. */

import type { Longhand } from '../../client/connect.js';
import { ChainExistsError, ChainNotFoundError } from '../../client/errors/errors.js';
import { resolveChainSource } from '../../client/read/chain-source.js';
import { readStartData } from '../../client/read/start-data.js';
import { createWorkflowStart, type StartOptions } from '../../client/start/start.js';
import { omitUndefined, toCanonicalJson } from '../../core/lib/json.js';
import type { chainOperations } from '../../http/operations/chains.js';
import type { Identity } from '../identity/identity.js';
import type { RequestContext } from '../request/context.js';
import type { Handlers } from '../request/handler.js';
import { GatewayError } from '../request/problems.js';
import { deriveChainId, resolveRequester } from '../request/requester.js';

type StartHandlers = Pick<Handlers<typeof chainOperations>, 'startChain' | 'followUp' | 'forkChain'>;

export const startHandlers: StartHandlers = {
  startChain: async ({ headers, body }, context) => {
    const { agent, task, chainId: chosenId, ...options } = body;
    const { longhand, identity } = context;
    const requester = resolveRequester(identity, options);
    checkDirected(identity, options);
    if (chosenId !== undefined && identity.tenant !== null)
      throw new GatewayError('request_invalid', 'This credential may not choose ids. Send an idempotency key instead.');
    const key = headers['idempotency-key'];
    const start: StartOptions = omitUndefined({ ...options, ...requester });
    if (key === undefined) {
      const chain = await longhand.start(agent, task, { ...start, chainId: chosenId });
      return { chainId: chain.chainId, existed: false };
    }
    const chainId = chosenId ?? deriveChainId(agent, key, requester);
    return startOnce(context, { agent, task, chainId }, start);
  },

  followUp: async ({ headers, body: { text, ...options } }, { longhand, chain, identity }) => {
    const requester = resolveRequester(identity, options);
    checkDirected(identity, options);
    const key = headers['idempotency-key'];
    const chainId =
      key === undefined ? undefined : deriveChainId(`${chain.agent}-reply`, `${chain.chainId} ${key}`, requester);
    const sent = chainId === undefined ? null : await findStart(longhand, chainId);
    if (sent !== null && sent.task !== text) throw createConflict();
    const next = await chain.handle.followUp(text, omitUndefined({ ...options, ...requester, chainId }));
    return { chainId: next.chainId, existed: sent !== null };
  },

  forkChain: async ({ body: options }, { longhand, chain, identity }) => {
    const requester = resolveRequester(identity, options);
    checkDirected(identity, options);
    const fork = await longhand.fork(chain.chainId, omitUndefined({ ...options, ...requester }));
    return { chainId: fork.chainId, existed: false };
  },
};

/** Another model or other limits change what a chain may spend: that needs the scope of commands that direct chains. */
function checkDirected({ scopes }: Identity, options: { readonly model?: unknown; readonly limits?: unknown }): void {
  if (scopes.has('direct') || (options.model === undefined && options.limits === undefined)) return;
  throw new GatewayError('scope_missing', 'A start with `model` or `limits` needs the scope direct.');
}

/** Starts a chain, or finds the one that the same request started. @throws {GatewayError} `idempotency_conflict` */
async function startOnce(
  { longhand }: RequestContext,
  { agent, task, chainId }: { readonly agent: string; readonly task: string; readonly chainId: string },
  options: StartOptions,
) {
  try {
    await longhand.start(agent, task, { ...options, chainId });
    return { chainId, existed: false };
  } catch (error) {
    if (!(error instanceof ChainExistsError)) throw error;
  }
  const wanted = await createWorkflowStart({ agent: { name: agent }, task }, options, async () => {});
  const input = await findStart(longhand, chainId);
  if (input !== null && toCanonicalJson({ ...input }) === toCanonicalJson({ ...wanted.input }))
    return { chainId, existed: true };
  throw createConflict();
}

function createConflict(): GatewayError {
  return new GatewayError(
    'idempotency_conflict',
    'A request with this idempotency key and other content came first. Use a new key for a new chain.',
  );
}

/** Returns what a chain was started with; null where there is no such chain. */
async function findStart({ client }: Longhand, chainId: string) {
  try {
    return (await readStartData(await resolveChainSource(client, chainId))).input;
  } catch (error) {
    if (error instanceof ChainNotFoundError) return null;
    throw error;
  }
}
