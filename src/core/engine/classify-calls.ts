/**
 * Classifies the calls of a reply: not permitted, rejected, answered from an earlier call, waiting for a person, or ready. No
 * call runs after a stop or together with an answer, even if the chain continues: its approvals were not checked. Calls that
 * a plan task wants confirmed always need approval.
 */

import { countUtf8Bytes } from '../lib/index.js';
import {
  type AgentSnapshot,
  type Call,
  type ChainState,
  changeState,
  createPersonRequest,
  defaults,
  type HeldStep,
  hasEnding,
  isWithoutEffect,
  listActiveTasks,
  type ModelReply,
  type PendingCall,
  type PersonRequest,
  type Reading,
  type RequestedCall,
  type RequestRules,
  type ReusableCall,
  type ToolSnapshot,
} from '../model/index.js';
import { findBreakpointRules } from './approvals/pause.js';
import { hasStandingApprovals } from './approvals/standing-approvals.js';
import { validateDelegation } from './delegation/validate-delegation.js';
import { type PlannedCall, receivedFinish } from './plan/update-plan.js';
import { addBytes, observationOverheadBytes } from './state/budget.js';
import { addCostReason } from './state/call-payment.js';
import { findFinishCall } from './state/control-tools.js';
import {
  addRepetitionHint,
  findEarlierCall,
  findFutileCall,
  isReusable,
  rememberFutileCall,
} from './state/earlier-calls.js';
import { type ChainEntry, createRequestEntry } from './state/entry.js';
import { holdStep } from './state/held-step.js';
import { type CallOutcome, recordOutcome } from './state/repeats.js';
import { combineAllRules, createRequestRules, toRisk } from './state/request-rules.js';
import { isPermitted, renderNotPermitted } from './state/requester.js';
import { createCall } from './state/step.js';
import { notRunText } from './state/stop.js';

interface ReplyCalls extends Pick<ModelReply, 'approvals' | 'unchecked'> {
  readonly reading: Reading;
  /** The meaning of each call for the plan; absent without a plan. */
  readonly plannedCalls?: readonly PlannedCall[];
  /** The ending that needs a verdict first. */
  readonly ending?: HeldStep['ending'];
}

/** How a call of a reply continues. */
type Verdict =
  /** Has its observation without being run. `outcome`: of a rejected call, which may repeat, without its hint. */
  | { readonly kind: 'settled'; readonly status: Call['status']; readonly text: string; readonly outcome?: string }
  | { readonly kind: 'reused'; readonly earlier: ReusableCall }
  /** The chain itself applies it once a person has approved it: a plan. */
  | { readonly kind: 'plan'; readonly request: PersonRequest }
  | { readonly kind: 'tool'; readonly tool: ToolSnapshot; readonly request: PersonRequest | null };

interface ClassifiedCalls {
  readonly state: ChainState;
  readonly calls: readonly Call[];
  readonly entries: readonly ChainEntry[];
}

export function classifyCalls(
  before: ChainState,
  agent: AgentSnapshot,
  { reading, approvals, unchecked = [], plannedCalls = [], ending }: ReplyCalls,
  keys: readonly string[],
): ClassifiedCalls {
  let state = before;
  const { stallSimilarity } = agent.limits;
  const calls: Call[] = [];
  const pending: PendingCall[] = [];
  const isDropped = ending !== undefined;
  const finish = hasEnding(reading) ? findFinishCall(agent.strategy, reading.calls) : null;
  for (const [index, requested] of (reading.problem === null ? reading.calls : []).entries()) {
    const plan = plannedCalls[index] ?? (requested === finish ? receivedFinish : callWithoutTask);
    const task = plan.kind === 'tool' && plan.task !== null ? { task: plan.task } : {};
    const call: Call = { ...createCall(state.steps, index, requested, state.now), ...task };
    const key = keys[index] ?? '';
    const approval = approvals?.[index] ?? null;
    const verdict = classifyCall(state, agent, reading, { requested, index, key, plan, approval, isDropped });
    switch (verdict.kind) {
      case 'settled': {
        const { status, text } = verdict;
        calls.push({ ...call, status, observation: text, endedAt: state.now });
        if (verdict.outcome !== undefined) {
          const outcome = toRejectedOutcome(requested, key, verdict.outcome);
          state = changeState(state, { stall: recordOutcome(state.stall, outcome, stallSimilarity) });
          if (requested.rejected !== null) state = rememberFutileCall(state, call.id, key, null);
        }
        state = addBytes(state, countUtf8Bytes(text) + observationOverheadBytes);
        break;
      }
      case 'reused':
        calls.push({ ...call, status: 'reused', reusedFrom: verdict.earlier.call, endedAt: state.now });
        state = addBytes(state, verdict.earlier.bytes + 2 * observationOverheadBytes);
        break;
      case 'plan':
        calls.push(call);
        pending.push(createPendingPlan(call, key, verdict.request));
        break;
      case 'tool':
        calls.push(call);
        pending.push({
          ...createPendingCall(call, key, verdict, approval),
          ...(unchecked.includes(index) ? { unchecked: true as const } : {}),
          ...task,
          ...(verdict.tool.delegates === null ? {} : { children: [] }),
        });
    }
  }
  if (ending !== undefined || (agent.policy !== undefined && state.stop === null && pending.length > 0))
    return { state: holdStep(state, agent, pending, ending), calls, entries: [] };
  // Also without any call: the step is then complete. A reply with a problem gets a correction instead.
  if (reading.problem === null)
    state = changeState(state, { flight: { kind: 'calls', calls: pending, startedAt: state.now } });
  return {
    state,
    calls,
    entries: pending.flatMap((call) => (call.request ? [createRequestEntry(state, call, call.request)] : [])),
  };
}

function settleRejected(text: string, status: Call['status'] = 'error'): Extract<Verdict, { kind: 'settled' }> {
  return { kind: 'settled', status, text, outcome: text };
}

/** Whether a call of the reply may change something: it may run before the reads beside it. */
function hasEffects({ tools }: AgentSnapshot, { calls }: Reading): boolean {
  return calls.some((call) => tools.some(({ name, effects }) => name === call.tool && !isWithoutEffect(effects)));
}

interface ReceivedCall {
  readonly requested: RequestedCall;
  readonly index: number;
  readonly key: string;
  readonly plan: PlannedCall;
  readonly approval: RequestRules | null;
  /** Whether the reply ends the chain, if the verdict allows it. */
  readonly isDropped: boolean;
}

function classifyCall(
  state: ChainState,
  agent: AgentSnapshot,
  reading: Reading,
  { requested, index, key, plan, approval, isDropped }: ReceivedCall,
): Verdict {
  if (plan.kind === 'approval')
    return { kind: 'plan', request: createPersonRequest('approval', plan.rules, state.now) };
  if (plan.kind === 'control') return { kind: 'settled', status: plan.status, text: plan.text };
  const tool = agent.tools.find(({ name }) => name === requested.tool);
  if (tool !== undefined && !isPermitted(state, tool)) return settleRejected(renderNotPermitted(tool), 'not_permitted');
  const rejection =
    findCallRejection(requested, index, tool === undefined) ?? findDelegationRejection(state, agent, tool);
  if (rejection !== null) {
    return { ...settleRejected(rejection), text: addRepetitionHint(state, key, rejection) };
  }
  const dropped = findDropReason(state, reading, isDropped);
  if (dropped !== null || tool === undefined)
    return { kind: 'settled', status: 'not_run', text: dropped ?? notRunText };
  const futile = findFutileCall(state, key);
  if (futile !== null) return { ...settleRejected(futile.message), text: futile.text };
  const earlier = isReusable(tool) ? findEarlierCall(state, key) : null;
  const isOutdated = earlier?.until === 'effect' && hasEffects(agent, reading);
  if (earlier !== null && !isOutdated) return { kind: 'reused', earlier };
  return { kind: 'tool', tool, request: findRequiredRequest(state, tool, requested.input, approval) };
}

function createPendingCall(
  { id, input }: Call,
  key: string,
  { tool, request }: Extract<Verdict, { kind: 'tool' }>,
  approval: RequestRules | null,
): PendingCall {
  const { name, effects } = tool;
  return {
    ...{ id, tool: name, input, effects, key, reusable: isReusable(tool) },
    progress: request === null ? 'ready' : 'waiting',
    bytes: 0,
    retryApproved: false,
    ...(request === null ? {} : { request }),
    ...(request === null && approval !== null ? { approvedUnder: approval } : {}),
  };
}

/** The chain applies the call itself once it is approved (plan/accept-plan.ts). */
function createPendingPlan({ id, tool, input }: Call, key: string, request: PersonRequest): PendingCall {
  const call = { id, tool, input, key, effects: 'idempotent', reusable: false } as const;
  return { ...call, progress: 'waiting', bytes: 0, retryApproved: false, request };
}

const callWithoutTask: PlannedCall = { kind: 'tool', task: null };

/** A rejected call changed nothing. */
function toRejectedOutcome({ tool, input }: RequestedCall, key: string, observation: string): CallOutcome {
  return { key, tool, input, observation, hasEffect: false };
}

function findDropReason({ stop }: ChainState, reading: Reading, isDropped: boolean): string | null {
  if (stop !== null) return notRunText;
  return !isDropped && !hasEnding(reading) ? null : 'Not run: the reply also contained an answer.';
}

/** Returns the request that a person must decide before the call runs; null for none. */
function findRequiredRequest(
  state: ChainState,
  tool: ToolSnapshot,
  input: RequestedCall['input'],
  policy: RequestRules | null,
): PersonRequest | null {
  if (tool.question !== null) return createPersonRequest('question', tool.question, state.now);
  const confirmation = findConfirmationRules(state, tool);
  const approval =
    confirmation === null ? policy : combineAllRules(policy === null ? [confirmation] : [policy, confirmation]);
  const needed = approval !== null && hasStandingApprovals(state, tool.name, approval) ? null : approval;
  const breakpointRules = findBreakpointRules(state, tool);
  // A breakpoint adds a decision, but never admits people who could not decide without it.
  const rules =
    breakpointRules === null
      ? needed
      : combineAllRules(approval === null ? [breakpointRules] : [approval, breakpointRules]);
  if (rules === null) return null;
  const stated = addCostReason(state.agent, { tool: tool.name, input }, rules);
  return createPersonRequest('approval', stated, state.now);
}

function findDelegationRejection(
  state: ChainState,
  agent: AgentSnapshot,
  tool: ToolSnapshot | undefined,
): string | null {
  return tool?.delegates ? validateDelegation(state, agent, tool.delegates) : null;
}

function findCallRejection(requested: RequestedCall, index: number, unknown: boolean): string | null {
  if (requested.rejected !== null) return requested.rejected;
  if (unknown) return `There is no tool named ${requested.tool}.`;
  if (index < defaults.callsPerStep) return null;
  return `Not run: one reply may contain ${defaults.callsPerStep} calls at most. Request this call again.`;
}

/** Returns the rules of a plan's confirmation; null for none. While no task is in progress, all tasks count. */
function findConfirmationRules(
  { plan }: Pick<ChainState, 'plan'>,
  { name, effects }: ToolSnapshot,
): RequestRules | null {
  if (plan === null) return null;
  const busy = listActiveTasks(plan);
  const task = (busy.length > 0 ? busy : plan.tasks).find(({ confirm }) => confirm.includes(name));
  if (task === undefined) return null;
  return createRequestRules({
    reason: `Task ${task.id} requires confirmation of calls of ${name}.`,
    risk: toRisk(effects),
  });
}
