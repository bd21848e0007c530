/** Handlers of the operations for chat frontends. */

import { ChainNotFoundError } from '../../client/index.js';
import { type chatOperations, forwardedRequesterSchema, type RunAgent, type SdkHeaders } from '../../http/index.js';
import type { RequestContext } from '../request/context.js';
import type { Handlers } from '../request/handler.js';
import { createInvalidRequest, GatewayError } from '../request/problems.js';
import { type Requester, resolveRequester, resolveSender } from '../request/requester.js';
import { AgUiEncoder } from './ag-ui-encoder.js';
import { readAgUiInput } from './ag-ui-input.js';
import { sendAnswers } from './chat-answer.js';
import { findChatChain, findNewestChain, isRunning } from './chat-chains.js';
import { computeFirstChainId } from './chat-ids.js';
import type { ChatInput } from './chat-input.js';
import { type ChatStreamOptions, streamChat } from './chat-response.js';
import type { Decider } from './decidable.js';
import { listConversation, loadMessages } from './load-messages.js';
import { openTurn } from './open-turn.js';
import { readUiInput } from './ui-input.js';
import { UiEncoder } from './ui-message-stream.js';

export function createChatHandlers(): Handlers<typeof chatOperations> {
  return {
    sendChatMessage: async ({ params: { agent }, query: { as }, headers, body }, context) => {
      const caller = createCaller(context, agent, body.id, body);
      const input = readUiInput(caller.firstId, body);
      const chat = await openChat(context, caller, { as, agent, input });
      context.nameInLog({ chainId: chat.chain.chainId });
      return streamUi(context, chat, headers);
    },

    resumeChat: async ({ params: { agent, id }, query: { as, tenant, user }, headers }, context) => {
      const caller = createCaller(context, agent, id, { tenant, user });
      const viewer = await context.toViewer(as);
      const chain = await findNewestChain(context, caller.firstId);
      if (chain === null || !(await isRunning(context, chain)))
        return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } });
      await context.recordShown(viewer.role, [chain]);
      const { decider } = caller;
      return streamUi(context, { chain, viewer, decider, decidedKeys: new Set(), clientCalls: null }, headers);
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
      const { input, messages, replacesMessages } = readAgUiInput(caller.firstId, body);
      const chat = await openChat(context, caller, { as, agent, input });
      const { threadId, runId, parentRunId = null, state } = body;
      const { chainId } = chat.chain;
      context.nameInLog({ chainId });
      const run = { threadId, runId, parentRunId, chainId, state, messages, replacesMessages };
      return streamChat(context, { ...chat, encoder: new AgUiEncoder(run) });
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
  const { tenant = null, user = null, roles } = requester;
  const { by, roles: own } = resolveSender(identity, { by: user ?? undefined, roles });
  return {
    requester,
    firstId: computeFirstChainId({ tenant, user, agent, chatId }),
    decider: { by, roles: own, canDecide: identity.scopes.has('decide') },
  };
}

/** A chain that is to be streamed. */
type OpenChat = Omit<ChatStreamOptions<never>, 'encoder' | 'headers' | 'lastFrame'>;

/** Finds or starts the chain of a request, and sends the answers that the request has for it. */
async function openChat(
  context: RequestContext,
  { requester, firstId, decider }: ChatCaller,
  { as, agent, input }: { readonly as: string | undefined; readonly agent: string; readonly input: ChatInput },
): Promise<OpenChat> {
  const viewer = await context.toViewer(as);
  if (input.kind === 'turn') {
    const chain = await openTurn(context, { agent, firstId, requester, ...input });
    await context.recordShown(viewer.role, [chain]);
    return { chain, viewer, decider, decidedKeys: new Set(), clientCalls: null };
  }
  const { chainId, answers, clientCalls } = input;
  const chain = await findChatChain(context, firstId, chainId);
  if (chain === null) throw new ChainNotFoundError(chainId);
  await context.recordShown(viewer.role, [chain]);
  const decidedKeys = await sendAnswers(context, { chain, viewer, decider }, answers);
  return { chain, viewer, decider, decidedKeys, clientCalls };
}

function streamUi(context: RequestContext, chat: OpenChat, headers: SdkHeaders): Response {
  return streamChat(context, {
    ...chat,
    encoder: new UiEncoder(chat.chain.chainId, headers['ai-sdk-version'] === '7' ? 7 : 6),
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
