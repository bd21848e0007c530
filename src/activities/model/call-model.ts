/**
 * One attempt at a call of the model (L6). L2: its input only refers to the conversation. It reads the
 * history of its own workflow, as every other reader does, and proves by the digest that what it folded
 * is what the workflow holds; if not, it says so and does not call.
 */

import { Context } from '@temporalio/activity';
import type { Agent } from '../../agents/define-agent.js';
import type { Called, CallModelInput, CallModelResult } from '../../contract/activities.js';
import { failureTypes, logMessages } from '../../contract/names.js';
import type { TokenChannel } from '../../contract/tokens.js';
import { firstCallOf } from '../../core/engine/first-call.js';
import type { AgentSnapshot } from '../../core/model/agent.js';
import type { Chain } from '../../core/model/chain.js';
import { defaults } from '../../core/model/defaults.js';
import type { FirstCall, ModelFailure } from '../../core/model/fact.js';
import type { Reply } from '../../core/model/model.js';
import type { State } from '../../core/model/state.js';
import { requestOf, strategyOf } from '../../core/strategies/index.js';
import { quote } from '../../core/strategies/quote.js';
import { belongsTo, keepAlive, ownHistory } from '../context/activity-context.js';
import type { Askers } from '../context/approval-layers.js';
import type { Dependencies } from '../context/dependencies.js';
import { failure, messageOf } from '../context/failures.js';
import { approvalsOf, callJudged, checkReply } from './check-reply.js';
import { snapshotFor, unknownAgent } from './prepare-agent.js';
import { keepPlanThatWorked, type Plans, plannedBefore } from './reused-plan.js';

export function callModel(dependencies: Dependencies) {
  return async (input: CallModelInput): Promise<CallModelResult> => {
    const heart = keepAlive();
    try {
      const agent = dependencies.agents.get(input.agent);
      if (agent === undefined) throw unknownAgent(input.agent, [...dependencies.agents.keys()]);
      const chain = await readConversation(dependencies, input);
      if (input.prepare !== undefined)
        return await begin(dependencies, agent, chain, { ...input, prepare: input.prepare });
      belongsTo(chain.state.steps + (input.purpose === 'step' ? 1 : 0));
      return await call(dependencies, agent, chain, input);
    } finally {
      heart.stop();
    }
  };
}

/** A sub-chain's first call, with the preparation of its agent (core/delegation/begin-in-tree.ts). */
async function begin(
  dependencies: Dependencies,
  agent: Agent,
  unprepared: Chain,
  input: CallModelInput & Required<Pick<CallModelInput, 'prepare'>>,
): Promise<CallModelResult> {
  const snapshot = snapshotFor(agent, input.prepare, dependencies);
  const { chain, call: decided } = firstCallOf(unprepared, snapshot);
  if (decided === null) return { status: 'begun', agent: snapshot, first: null };
  belongsTo(1);
  const { reservation } = decided;
  const timeoutMs = Math.min(decided.timeoutMs, input.timeoutMs);
  const came = await call(dependencies, agent, chain, { ...input, purpose: 'step', reservation, timeoutMs });
  return begunWithin(snapshot, { reservation, came });
}

async function readConversation({ folds, onPage }: Dependencies, input: CallModelInput): Promise<Chain> {
  const { history, run } = ownHistory(Context.current(), onPage);
  const { chain } = await folds.at(history, run, input.events).catch((error: unknown) => {
    throw failure(failureTypes.notCalled, `The chain's history could not be read: ${messageOf(error)}`);
  });
  const { facts, head } = chain.state;
  if (facts !== input.facts || head !== input.head) {
    throw failure(
      failureTypes.digestMismatch,
      `The history of chain ${run.workflowId} folds to ${facts} facts with head ${head.slice(0, 12)}, and its workflow holds ${input.facts} with head ${input.head.slice(0, 12)}. This worker's rules differ from those that the chain runs by: deploy one version of Longhand to all workers of this task queue.`,
    );
  }
  return chain;
}

async function call(
  { provider, instruments, tokens, approvals, plans: kept }: Dependencies,
  agent: Agent,
  chain: Chain,
  input: CallModelInput,
): Promise<Called> {
  const snapshot = chain.state.agent;
  if (snapshot === null) throw failure(failureTypes.badDefinition, 'The chain has not been prepared.');
  const context = Context.current();
  const warn = (message: string) => context.log.warn(message);
  const plans: Plans = { plans: kept, warn };
  const planned = input.purpose === 'step' ? await plannedBefore(plans, chain, snapshot) : null;
  if (planned !== null) return { status: 'replied', reply: planned };
  const asked = {
    request: requestOf(chain, snapshot, input.purpose),
    model: { ...snapshot.model, timeoutMs: input.timeoutMs },
    maxTokens: input.reservation.outputTokens,
  };
  const called = await instruments.chat({ chain, agent: agent.name, provider: provider.name, asked }, () =>
    callJudged(provider, asked, input.reservation, {
      signal: context.cancellationSignal,
      ...(tokens === null || input.purpose === 'closing'
        ? {}
        : { onText: speaking(tokens, chain.state, context.info.activityId) }),
    }),
  );
  if (!called.ok) {
    const made = asSeenByTheChain(called.failure);
    // The activity has done its work, and Temporal logs nothing of it.
    context.log.warn(logMessages.modelCallFailed, { error: { type: made.kind, message: made.message } });
    return { status: 'failed', failure: made };
  }
  const askers: Askers = { agent, approvals, warn };
  return fitting(await readable(() => read(chain, snapshot, { askers, plans }, called.reply, input), called.reply));
}

/** What is said goes to who listens right now, and is kept by nobody. */
function speaking(tokens: TokenChannel, { chainId, steps }: State, call: string): (text: string) => void {
  return (text) => tokens.publish({ chainId, step: steps + 1, call, text });
}

/** The reply is paid for: what goes wrong in reading it is charged as the reply itself would be. */
async function readable(read: () => Promise<Called>, { usage }: Reply): Promise<Called> {
  try {
    return await read();
  } catch (error) {
    const message = `The reply could not be read: ${messageOf(error)}`;
    const base = { status: null, retryAfterMs: null, settle: 'usage', usage } as const;
    return { status: 'failed', failure: { ...base, kind: 'internal', message } };
  }
}

async function read(
  chain: Chain,
  snapshot: AgentSnapshot,
  { askers, plans }: { readonly askers: Askers; readonly plans: Plans },
  reply: Reply,
  { purpose }: CallModelInput,
): Promise<Called> {
  const strategy = strategyOf(snapshot.strategy);
  const said = strategy.interpret(reply, snapshot, askers.agent.problemWithCall);
  const { content: _said, ...rest } = reply;
  if (purpose === 'closing')
    return { status: 'replied', reply: { ...rest, reading: quote(said), check: null, approvals: null } };
  const { reading, approvals } = await approvalsOf(askers, chain.state, reply, said);
  const check = await checkReply(askers.agent, chain, reply, reading);
  await keepPlanThatWorked(plans, chain, snapshot, { ...reply, reading });
  return { status: 'replied', reply: { ...rest, reading: quote(reading), check, approvals } };
}

/** A worker that is told to shut down has not been told by the chain to stop: the call is made again elsewhere. */
function asSeenByTheChain(made: ModelFailure): ModelFailure {
  const { reason } = Context.current().cancellationSignal;
  const shutdown = made.kind === 'cancelled' && String(reason?.message).includes('WORKER_SHUTDOWN');
  return shutdown ? { ...made, kind: 'lost', message: 'The worker that made the call was shut down' } : made;
}

/** Temporal refuses results over 2 MB; a chain is told instead. */
function fitting(result: Called, most: number = defaults.payloadBytes): Called {
  const bytes = Buffer.byteLength(JSON.stringify(result));
  if (bytes <= most || result.status === 'failed') return result;
  const { usage } = result.reply;
  const message = `The reply has ${bytes} bytes; Temporal stores ${most} at most. Lower maxTokens`;
  return {
    status: 'failed',
    failure: { kind: 'too_large', message, status: null, retryAfterMs: null, settle: 'usage', usage },
  };
}

/** The agent goes into the same payload. */
function begunWithin(agent: AgentSnapshot, { reservation, came }: FirstCall): CallModelResult {
  const room = defaults.payloadBytes - Buffer.byteLength(JSON.stringify(agent));
  return { status: 'begun', agent, first: { reservation, came: fitting(came, room) } };
}
