/**
 * One attempt at a model call (L6). L2: its input only refers to the conversation. The activity folds its own
 * workflow's history, as every reader does, and compares the digest with the workflow's. If they differ, it reports
 * that and does not call.
 */

import { Context } from '@temporalio/activity';
import { type Agent, findParser } from '../../agents/index.js';
import {
  type CallModelInput,
  type CallModelResult,
  failureTypes,
  logMessages,
  type ModelAttemptResult,
  type TokenPublisher,
} from '../../contract/index.js';
import { omitUndefined, toErrorMessage } from '../../core/lib/index.js';
import {
  type AgentSnapshot,
  type Chain,
  type ChainState,
  defaults,
  isAside,
  isOptionalAside,
  type ModelFailure,
  type ModelReply,
} from '../../core/model/index.js';
import { compactReading, getStrategy, renderRequest } from '../../core/strategies/index.js';
import { callAndCheckUsage } from '../../models/index.js';
import { createAttemptId, getOwnHistory, setLoggedStep, startHeartbeat } from '../context/activity-context.js';
import type { PolicyContext } from '../context/approval-layers.js';
import type { MarkedChain } from '../context/data-detectors.js';
import type { Dependencies } from '../context/dependencies.js';
import { createFailure, createUnknownAgentFailure, toRegisteredAgents } from '../context/failures.js';
import { getProvider } from '../context/get-provider.js';
import { checkModelAccess, findRegion, toRequestOrigin } from '../context/model-access.js';
import { createStoreGuard, type StoreGuard } from '../context/store-guard.js';
import { findCachedReply } from './cached-reply.js';
import {
  checkObservations,
  checkReply,
  evaluateReplyApprovals,
  type SentReply,
  validateAnswer,
  validateCall,
} from './check-reply.js';
import { chooseModel } from './choose-model.js';
import { findReusedPlan, type PlanReuse, storeCompletedPlan } from './plan-reuse.js';
import { hashRequest } from './request-digest.js';
import { countBytes } from './snapshot-size.js';
import { readRequestFiles } from './task-files.js';

export function callModel(dependencies: Dependencies) {
  const guard = createStoreGuard();
  return async (input: CallModelInput): Promise<CallModelResult> => {
    const heart = startHeartbeat(dependencies.heartbeatMs);
    try {
      const agent = dependencies.agents.get(input.agent);
      if (agent === undefined) throw createUnknownAgentFailure(toRegisteredAgents(dependencies.agents), input.agent);
      const { chain, found } = dependencies.markData(await readConversation(dependencies, input));
      setLoggedStep(chain.state.steps + (input.purpose === 'step' ? 1 : 0));
      const check = input.purpose === 'step' ? await checkObservations(agent, chain) : null;
      if (check !== null) return { status: 'checked', check };
      return addFound(await callProvider({ ...dependencies, guard }, agent, chain, input), found);
    } finally {
      heart.stop();
    }
  };
}

/** Adds the classes of data to the fact, whether the call was made or not. */
function addFound(result: ModelAttemptResult, found: MarkedChain['found']): ModelAttemptResult {
  return result.status === 'replied'
    ? { ...result, reply: { ...result.reply, ...found } }
    : { ...result, failure: { ...result.failure, ...found } };
}

async function readConversation({ folds, onPage }: Dependencies, input: CallModelInput): Promise<Chain> {
  const { history, run } = getOwnHistory(Context.current(), onPage);
  const chain = await folds.readAt(history, run, input).catch((error: unknown) => {
    throw createFailure(failureTypes.notCalled, `Cannot read the chain's history: ${toErrorMessage(error)}`);
  });
  const { facts, head } = chain.state;
  if (facts !== input.facts || head !== input.head) {
    throw createFailure(
      failureTypes.digestMismatch,
      `The history of chain ${run.workflowId} folds to ${facts} facts with head ${head.slice(0, 12)}, but its workflow has ${input.facts} with head ${input.head.slice(0, 12)}. Another version of Longhand advanced the chain: deploy one version to all workers of this task queue.`,
    );
  }
  return chain;
}

async function callProvider(
  dependencies: Dependencies & { readonly guard: StoreGuard },
  agent: Agent,
  chain: Chain,
  input: CallModelInput,
): Promise<ModelAttemptResult> {
  const { sources, models, modelAccess, instruments, tokens, approvals, blobs, plans: planCache } = dependencies;
  const snapshot = chain.state.agent;
  if (snapshot === null) throw createFailure(failureTypes.badDefinition, 'The chain has not been prepared.');
  const { strategy } = snapshot;
  // Before the call, which is paid for.
  if (strategy.name === 'custom' && findParser(agent.definition.strategy, strategy) === null) {
    const message = `This worker has no strategy ${strategy.strategy} for agent ${agent.name}.`;
    throw createFailure(failureTypes.unknownStrategy, message, { details: { strategy: strategy.strategy } });
  }
  const context = Context.current();
  const warn = (message: string) => context.log.warn(message);
  const plans: PlanReuse = { plans: planCache, warn };
  const planned = input.purpose === 'step' ? await findReusedPlan(plans, chain, snapshot) : null;
  if (planned !== null) return { status: 'replied', reply: planned };
  const { chain: routed, model, route } = chooseModel(agent, chain, snapshot, input.purpose, { models, modelAccess });
  const provider = getProvider(models, model.provider);
  const request = renderRequest(routed, { ...snapshot, model }, input.purpose);
  const files = await readRequestFiles(context, blobs, routed, request);
  const modelCall = {
    request,
    ...(files.size === 0 ? {} : { files }),
    model: { ...model, timeoutMs: input.timeoutMs },
    maxTokens: Math.min(input.reservation.outputTokens, model.maxTokens),
  };
  const origin = toRequestOrigin(chain.state);
  const rejected = checkModelAccess(origin, model, models, modelAccess);
  if (rejected !== null) return { status: 'failed', failure: { ...rejected, ...route } };
  const { chainId, steps } = chain.state;
  const { tenant } = origin.requester;
  const { namespace } = getOwnHistory(context).history;
  const cache = { ...dependencies, log: context.log, namespace, tenant };
  let digest: string | undefined;
  const hash = () => (digest ??= hashRequest(request));
  const { found, put } = await findCachedReply(cache, agent, modelCall, hash);
  const budgetAlerts: string[] = [];
  const measured = { chain, chainId, agent: agent.name, provider: provider.name, modelCall };
  const calling = instruments.measureModelCall(
    { ...measured, ...(found === null ? {} : { cached: true }) },
    async () => {
      if (found !== null) return { ok: true, reply: found.reply };
      return callAndCheckUsage(provider, modelCall, input.reservation, {
        signal: context.cancellationSignal,
        conversation: chainId,
        caller: { agent: agent.name, chainId, tenant },
        spent: {
          id: createAttemptId(),
          ticket: [namespace, chainId, steps, input.purpose].join('/'),
          reserved: input.reservation,
          patience: input.purpose === 'closing' || isOptionalAside(input.purpose) ? 'wait' : 'queue',
          onBudgetAlert: (text) => budgetAlerts.push(text),
        },
        ...(tokens === null || input.purpose !== 'step'
          ? {}
          : { onText: createPiecePublisher(tokens, chain.state, context.info) }),
      });
    },
  );
  // While the model replies: hashing takes the longer the longer the conversation is.
  hash();
  const called = await calling;
  const alerts = budgetAlerts.length === 0 ? {} : { budgetAlerts };
  if (!called.ok) {
    const made = toChainFailure(called.failure);
    // The activity itself succeeds, so Temporal logs nothing.
    context.log.warn(logMessages.modelCallFailed, { error: { type: made.kind, message: made.message } });
    return { status: 'failed', failure: { ...made, ...route, ...alerts } };
  }
  const loaded = await sources.load(agent);
  const policies: PolicyContext = { agent: loaded, approvals, warn };
  const reply: SentReply = {
    ...called.reply,
    provider: provider.name,
    ...(found === null ? findRegion(model, models) : { cached: found.cached }),
    request: hash(),
    ...route,
    ...alerts,
  };
  // Its reading contains the content: what is too large is not read, which takes longer for more text.
  const bytes = countBytes(reply.content);
  if (bytes > defaults.payloadBytes) return createTooLarge(reply, bytes, defaults.payloadBytes);
  const read = fitResult(await readOrFail(() => readReply(chain, snapshot, { policies, plans }, reply, input), reply));
  if (found === null && read.status === 'replied') await put(called.reply, read.reply);
  return read;
}

/** Publishes the reply's text to current subscribers; it is not stored. */
function createPiecePublisher(
  tokens: TokenPublisher,
  { chainId, steps }: ChainState,
  { activityId: call, workflowExecution }: Context['info'],
): (text: string) => void {
  const runId = workflowExecution?.runId ?? '';
  let offset = 0;
  return (text) => {
    tokens.publish({ chainId, runId, step: steps + 1, call, offset, text });
    offset += text.length;
  };
}

/** Charges a reply that cannot be read like any other: it is paid for. */
async function readOrFail(read: () => Promise<ModelAttemptResult>, reply: SentReply): Promise<ModelAttemptResult> {
  try {
    return await read();
  } catch (error) {
    return rejectReply(reply, 'internal', `Cannot read the reply: ${toErrorMessage(error)}`);
  }
}

async function readReply(
  chain: Chain,
  snapshot: AgentSnapshot,
  { policies, plans }: { readonly policies: PolicyContext; readonly plans: PlanReuse },
  reply: SentReply,
  { purpose }: CallModelInput,
): Promise<ModelAttemptResult> {
  if (isAside(purpose)) return { status: 'replied', reply: toAsideReply(reply) };
  const strategy = getStrategy(snapshot.strategy, findParser(policies.agent.definition.strategy, snapshot.strategy));
  const parsed = strategy.parse(
    reply,
    snapshot,
    (tool, input) => validateCall(policies.agent, snapshot, tool, input),
    (answer) => validateAnswer(policies.agent, snapshot, answer),
  );
  const { content: _content, ...rest } = reply;
  if (purpose === 'closing')
    return { status: 'replied', reply: { ...rest, reading: compactReading(parsed), check: null, approvals: null } };
  const { reading, approvals, unchecked, end } = await evaluateReplyApprovals(policies, chain, reply, parsed);
  const check = end ?? (await checkReply(policies.agent, chain, reply, reading));
  const replied: ModelReply = {
    ...rest,
    reading: compactReading(reading),
    check,
    approvals,
    ...(unchecked.length === 0 ? {} : { unchecked }),
  };
  await storeCompletedPlan(plans, chain, snapshot, replied);
  return { status: 'replied', reply: replied };
}

/** The chain reads the text itself (core/engine/asides.ts). */
function toAsideReply({ content, ...rest }: SentReply): ModelReply {
  const text = content.filter((block) => block.type === 'text');
  const reading = { thought: null, calls: [], answer: null, problem: null, scratchpad: null, content: text };
  return { ...rest, reading, check: null, approvals: null };
}

/**
 * Converts a cancel that the chain did not request to `lost`, so that the call is made again: its worker was shut down,
 * or an operator paused or reset the activity.
 */
function toChainFailure(made: ModelFailure): ModelFailure {
  const { cancellationSignal, cancellationDetails } = Context.current();
  if (made.kind !== 'cancelled' || !cancellationSignal.aborted || cancellationDetails?.cancelRequested) return made;
  return { ...made, kind: 'lost', message: formatInterruption(cancellationDetails) };
}

function formatInterruption(details: Context['cancellationDetails']): string {
  if (details?.reset) return 'The activity of the call was reset';
  if (details?.paused) return 'The activity of the call was paused';
  return 'The worker that made the call was shut down';
}

/** Replaces a reply over Temporal's limit by a failure. */
function fitResult(result: ModelAttemptResult, max: number = defaults.payloadBytes): ModelAttemptResult {
  if (result.status === 'failed') return result;
  const bytes = countBytes(result);
  return bytes <= max ? result : createTooLarge(result.reply, bytes, max);
}

function createTooLarge(reply: PaidReply, bytes: number, max: number): ModelAttemptResult {
  return rejectReply(reply, 'too_large', `The reply has ${bytes} bytes; Temporal's limit is ${max}. Lower maxTokens`);
}

type PaidReply = Pick<ModelReply, 'usage' | 'route'>;

function rejectReply({ usage, route }: PaidReply, kind: ModelFailure['kind'], message: string): ModelAttemptResult {
  const base = { status: null, retryAfterMs: null, settle: 'usage', usage, ...omitUndefined({ route }) } as const;
  return { status: 'failed', failure: { ...base, kind, message } };
}
