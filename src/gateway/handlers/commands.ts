/** Handlers of operations by which people decide and direct. */

import { listLongestWaiting, resolveViewer, viewWaitingChain } from '../../client/index.js';
import type { OpenRequest } from '../../core/engine/index.js';
import { LonghandError, omitUndefined } from '../../core/lib/index.js';
import { type RequestView, view, viewRequest } from '../../core/view/index.js';
import type { commandOperations, RequestItem } from '../../http/index.js';
import { createListFilter } from '../request/authorize-chain.js';
import type { ReachedChain, RequestContext } from '../request/context.js';
import type { Handlers } from '../request/handler.js';
import { resolveSender, resolveTenant } from '../request/requester.js';
import { unmaskInput } from '../request/unmask-input.js';

export const commandHandlers: Handlers<typeof commandOperations> = {
  listRequests: async ({ query: { as } }, context) => {
    const requests = await readRequests(context, as);
    return { items: requests.map(toRequestItem) };
  },

  decideRequest: async ({ params: { call }, query: { as }, body }, context) => {
    const { chain, identity } = context;
    const sender = { ...resolveSender(identity, body), digest: body.digest ?? undefined };
    switch (body.decision) {
      case 'approve': {
        const { always, input } = body;
        if (input === undefined) return chain.handle.approve(call, { ...sender, always });
        const restored = unmaskInput(input, await findRequest(context, call, as));
        return chain.handle.approve(call, { ...restored, ...omitUndefined(sender), always });
      }
      case 'deny':
        return chain.handle.deny(call, sender);
      case 'answer':
        return chain.handle.answer(call, body.answer, sender);
      case 'resolve':
        return chain.handle.resolveOutcome(call, body.outcome, { ...sender, observation: body.observation });
    }
  },

  listInbox: async ({ query: { as, agent, tenant, root, role, limit } }, context) => {
    const { longhand, identity, visibility, toViewer, recordShown } = context;
    const viewer = await resolveViewer(await toViewer(as), longhand.archive);
    const { longest, others } = await listLongestWaiting(longhand.client, {
      agent,
      root,
      limit,
      tenant: resolveTenant(identity, tenant),
      isWanted: createListFilter(context),
      roles: role?.split(',').map((name) => name.trim()),
    });
    const listedChains = longest.map(({ chain: { chainId, tenant, agent } }) => ({ chainId, tenant, agent }));
    await recordShown(viewer.role, listedChains);
    const items = longest
      .map((waiting) => viewWaitingChain(waiting, (reasoning) => view(reasoning, viewer, visibility)))
      .map((row) => ({ ...row, requests: row.requests.map(toRequestItem) }));
    return { items, others };
  },

  steerChain: ({ body }, { chain, identity }) => chain.handle.steer(body.text, resolveSender(identity, body)),

  pauseChain: ({ body }, { chain, identity }) => chain.handle.pause({ ...resolveSender(identity, body), at: body.at }),

  resumeChain: ({ body }, { chain, identity }) =>
    chain.handle.resume({ ...resolveSender(identity, body), call: body.call }),

  raiseLimits: ({ body }, { chain, identity }) => chain.handle.raiseLimits(body.limits, resolveSender(identity, body)),

  signalChain: ({ params: { name }, body }, { chain, identity }) =>
    chain.handle.signal(name, body.data ?? null, { ...resolveSender(identity, body), id: body.id }),

  cancelChain: ({ body }, { chain, identity }) =>
    chain.handle.cancel({ ...resolveSender(identity, body), summarize: body.summarize }),
};

type ChainContext = RequestContext & { readonly chain: ReachedChain };

async function readRequests(
  { chain, visibility, toViewer }: ChainContext,
  as: string | undefined,
): Promise<readonly RequestView[]> {
  const viewed = await chain.handle.view(await toViewer(as), visibility);
  return (await chain.handle.listRequests()).map((request) => viewRequest(request, viewed));
}

async function findRequest(context: ChainContext, call: string, as: string | undefined): Promise<RequestView> {
  const requestView = (await readRequests(context, as)).find(({ request }) => request.call === call);
  if (requestView !== undefined) return requestView;
  throw new LonghandError('call_not_waiting', `Call ${call} is not awaiting a decision. List the open requests.`);
}

function toRequestItem({ request, level, tool, input, reason, excludedUser }: RequestView): RequestItem {
  const { call, kind, digest, risk, roles, approvers, votes, askedAt, expiresAt, onExpiry }: OpenRequest = request;
  return {
    call,
    kind,
    level,
    tool,
    input,
    reason,
    risk,
    roles,
    approvers,
    // A digest of arguments that are hidden would let them be guessed.
    digest: level === 'full' ? digest : null,
    approved: votes.length,
    excludedUser,
    askedAt,
    expiresAt,
    onExpiry,
  };
}
