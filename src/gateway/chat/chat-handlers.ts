/** Handlers of the operations for chat frontends. */

import { ChainNotFoundError } from '../../client/errors/errors.js';
import type { chatOperations } from '../../http/operations/chat.js';
import { forwardedRequesterSchema, type RunAgent } from '../../http/schemas/chat.js';
import type { Identity } from '../identity/identity.js';
import type { RequestContext } from '../request/context.js';
import type { Handlers } from '../request/handler.js';
import { createInvalidRequest, GatewayError } from '../request/problems.js';
import { type Requester, resolveRequester, resolveSender } from '../request/requester.js';
import { createAgUiEncoder } from './ag-ui-encoder.js';
import { readAgUiInput } from './ag-ui-input.js';
import { type ChatAnswer, sendAnswers } from './chat-answer.js';
import { type ChatChain, findChatChain, findNewestChain } from './chat-chains.js';
import { computeFirstChainId } from './chat-ids.js';
import { type ChatStreamOptions, streamChat } from './chat-response.js';
import type { Decider } from './decidable.js';
import { listConversation, loadMessages } from './load-messages.js';
import { type ChatTurn, openTurn } from './open-turn.js';
import { readUiInput } from './ui-input.js';
import { createUiStream } from './ui-message-stream.js';

export function createChatHandlers(): Handlers<typeof chatOperations> {
  return {
    sendChatMessage: async ({ params: { agent }, query: { as }, body }, context) => {
      const caller = createCaller(context, agent, body.id, body);
      const input = readUiInput(caller.firstId, body);
      const opened = await openChat(context, caller, { as, agent, input });
      const shown = input.kind === 'continue' ? input.calls : null;
      return streamUi(context, { ...opened, caller, shown });
    },

    resumeChat: async ({ params: { agent, id }, query: { as, tenant, user } }, context) => {
      const caller = createCaller(context, agent, id, { tenant, user });
      const viewer = await context.toViewer(as);
      const chain = await findNewestChain(context, caller.firstId);
      if (chain === null || (await chain.handle.describe()).status === 'ended')
        return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } });
      await context.recordShown(viewer.role, [chain]);
      return streamUi(context, { chain, viewer, caller, decided: new Set(), shown: null });
    },

    getChatMessages: async ({ params: { agent, id }, query: { as, tenant, user } }, context) => {
      const { firstId, decider } = createCaller(context, agent, id, { tenant, user });
      const viewer = await context.toViewer(as);
      const chains = await listConversation(context, firstId);
      await context.recordShown(viewer.role, chains);
      return { messages: await loadMessages(context, chains, { viewer, decider }) };
    },

    runAgUi: async ({ params: { agent }, query: { as }, body }, context) => {
      const caller = createCaller(context, agent, body.threadId, readForwarded(body));
      const input = readAgUiInput(caller.firstId, body);
      const { chain, viewer, decided } = await openChat(context, caller, {
        ...{ as, agent },
        input: input.kind === 'turn' ? { ...input, intent: 'submit' } : { ...input, kind: 'continue' },
      });
      const { threadId, runId, parentRunId, state, messages } = body;
      const replacesMessages = input.kind === 'turn' && input.hasAnswer;
      const encoder = createAgUiEncoder({
        ...{ threadId, runId, parentRunId: parentRunId ?? null, chainId: chain.chainId, state, replacesMessages },
        messages: input.kind === 'turn' ? input.kept : messages,
      });
      const shown = input.kind === 'resume' ? input.calls : null;
      const follow = { chain, viewer, decided, ...caller };
      return streamChat(context, { ...follow, encoder, shown });
    },
  };
}

/** A caller with its chat. */
interface ChatCaller {
  readonly requester: Requester;
  readonly firstId: string;
  readonly decider: Decider;
}

interface StatedRequester {
  readonly tenant?: string | undefined;
  readonly user?: string | undefined;
  readonly roles?: readonly string[] | undefined;
}

/** @throws {GatewayError} `scope_missing`, `request_invalid` */
function createCaller(
  { identity }: Pick<RequestContext, 'identity'>,
  agent: string,
  chatId: string,
  stated: StatedRequester,
): ChatCaller {
  // A stream shows the chain that it starts.
  if (!identity.scopes.has('read'))
    throw new GatewayError('scope_missing', 'A chat needs the scope read as well. Use a credential that has it.');
  const requester = resolveRequester(identity, stated);
  const { tenant = null, user = null } = requester;
  return {
    requester,
    firstId: computeFirstChainId({ tenant, user, agent, chatId }),
    decider: createDecider(identity, requester),
  };
}

function createDecider(identity: Identity, { user, roles }: Requester): Decider {
  const { by, roles: own } = resolveSender(identity, { by: user, roles });
  return { by, roles: own, canDecide: identity.scopes.has('decide') };
}

type OpenedInput =
  | ({ readonly kind: 'turn' } & Pick<ChatTurn, 'after' | 'messages' | 'earlier' | 'intent'>)
  | { readonly kind: 'continue'; readonly chainId: string; readonly answers: readonly ChatAnswer[] };

/** Finds or starts the chain of a request, and sends the answers that the request has for it. */
async function openChat(
  context: RequestContext,
  { requester, firstId, decider }: ChatCaller,
  { as, agent, input }: { readonly as: string | undefined; readonly agent: string; readonly input: OpenedInput },
) {
  const viewer = await context.toViewer(as);
  const chain =
    input.kind === 'turn'
      ? await openTurn(context, { agent, firstId, requester, ...input })
      : await findChatChain(context, firstId, input.chainId);
  if (chain === null) throw new ChainNotFoundError('');
  await context.recordShown(viewer.role, [chain]);
  const sender = { by: decider.by, roles: decider.roles };
  const decided =
    input.kind === 'turn' ? new Set<string>() : await sendAnswers(context, { chain, viewer, sender }, input.answers);
  return { chain, viewer, decided };
}

interface UiStream extends Pick<ChatStreamOptions<unknown>, 'viewer' | 'decided' | 'shown'> {
  readonly chain: ChatChain;
  readonly caller: ChatCaller;
}

function streamUi(context: RequestContext, { chain, caller, ...follow }: UiStream): Response {
  return streamChat(context, {
    ...follow,
    chain,
    decider: caller.decider,
    encoder: createUiStream(chain.chainId),
    headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
    lastFrame: '[DONE]',
  });
}

/** @throws {GatewayError} `request_invalid` */
function readForwarded({ forwardedProps }: RunAgent): StatedRequester {
  if (typeof forwardedProps !== 'object' || forwardedProps === null) return {};
  const parsed = forwardedRequesterSchema.safeParse(forwardedProps);
  if (!parsed.success) throw createInvalidRequest('body.forwardedProps', parsed.error);
  return parsed.data;
}
