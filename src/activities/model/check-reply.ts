/**
 * The checks of a reply before it becomes a fact. Providers, policies and checks are user code: they run here, in the
 * worker, and never in the workflow.
 *
 * 1. L6: its usage is passed on only where it can be true.
 * 2. Policies decide which of its calls a person has to approve. Their verdicts go into the fact; they are asked again
 *    only where a person changes the arguments. Calls that are not run anyway are left out.
 * 3. The agent's own check may end the chain.
 */

import { log } from '@temporalio/activity';
import type { Agent } from '../../agents/define-agent.js';
import type { AgentSnapshot, ToolSnapshot } from '../../core/model/agent.js';
import type { Chain, Step } from '../../core/model/chain.js';
import { defaults } from '../../core/model/defaults.js';
import type { CheckResult, ModelFailure } from '../../core/model/fact.js';
import type { Reply } from '../../core/model/model.js';
import type { Reading, RequestedCall } from '../../core/model/reading.js';
import type { RequestRules } from '../../core/model/request.js';
import type { ChainState } from '../../core/model/state.js';
import type { Reservation } from '../../core/model/usage.js';
import { checkUsage, estimateMinUsage } from '../../core/model/usage.js';
import { updatePlan } from '../../core/plan/update-plan.js';
import { settleCurrentReply } from '../../core/state/budget.js';
import { createCall, createStep } from '../../core/state/step.js';
import type { ModelCall, ModelCallOptions, ModelCallResult, ModelProvider } from '../../models/provider.js';
import type { ApprovalResult } from '../../tools/approval/combine-approvals.js';
import { evaluateApprovals, formatDenial, type PolicyContext } from '../context/approval-layers.js';
import { toErrorMessage, withTimeout } from '../context/failures.js';

/** Calls the provider once, and judges the usage that it reports. */
export async function callAndCheckUsage(
  provider: ModelProvider,
  asked: ModelCall,
  reserved: Reservation,
  options: ModelCallOptions,
): Promise<ModelCallResult> {
  const called = await provider.call(asked, options);
  return called.ok
    ? { ok: true, reply: checkReplyUsage(called.reply, asked, reserved) }
    : { ok: false, failure: checkFailureUsage(called.failure, asked, reserved) };
}

function checkReplyUsage(reply: Reply, { request }: ModelCall, reserved: Reservation): Reply {
  if (reply.usage === null) return reply;
  const judged = checkUsage(reply.usage, reserved, estimateMinUsage(request, reply.content));
  return judged.plausible ? reply : { ...reply, usage: null, usageProblem: judged.problem };
}

function checkFailureUsage(failure: ModelFailure, { request }: ModelCall, reserved: Reservation): ModelFailure {
  if (failure.settle !== 'usage') return failure;
  const judged = checkUsage(failure.usage, reserved, estimateMinUsage(request, []));
  return judged.plausible ? failure : { ...failure, settle: 'reservation', usage: null };
}

interface ReplyApprovals {
  /** With what was denied as calls that are not run. */
  readonly reading: Reading;
  /** In the order of the reading's calls; null where none needs a person. */
  readonly approvals: readonly (RequestRules | null)[] | null;
}

/** Asks the policies about each call of a reply. */
export async function evaluateReplyApprovals(
  askers: PolicyContext,
  state: ChainState,
  reply: Pick<Reply, 'usage'>,
  reading: Reading,
): Promise<ReplyApprovals> {
  if (reading.problem !== null || reading.answer !== null) return { reading, approvals: null };
  const { charged } = settleCurrentReply(state, reply, reading.content).state;
  const said = await Promise.all(
    reading.calls.map(async (call, index): Promise<ApprovalResult> => {
      const tool = findExecutableTool(state, call, index);
      if (tool === null) return { kind: 'nothing' };
      return evaluateApprovals(askers, state, { tool, input: call.input, step: state.steps + 1, spent: charged });
    }),
  );
  const rules = said.map((each) => (each.kind === 'ask' ? each.rules : null));
  return {
    reading: { ...reading, calls: reading.calls.map((call, index) => applyDenial(call, said[index])) },
    approvals: rules.some((each) => each !== null) ? rules : null,
  };
}

/** Null for a call that is not run anyway: refused, unknown, one too many, or a question. */
function findExecutableTool(
  { agent }: ChainState,
  { tool: name, rejected }: RequestedCall,
  index: number,
): ToolSnapshot | null {
  const tool = agent?.tools.find((each) => each.name === name);
  if (tool === undefined || rejected !== null || index >= defaults.callsPerStep) return null;
  return tool.question === null ? tool : null;
}

function applyDenial(call: RequestedCall, said: ApprovalResult | undefined): RequestedCall {
  if (said?.kind !== 'deny') return call;
  return { ...call, rejected: formatDenial(call.tool, said.reason) };
}

/** Asks the agent's own check about a reply. A check that throws does not end the chain. */
export async function checkReply(
  agent: Agent,
  chain: Chain,
  reply: Reply,
  reading: Reading,
): Promise<CheckResult | null> {
  const snapshot = chain.state.agent;
  if (agent.check === null || snapshot === null) return null;
  try {
    const checking = agent.check([...chain.steps, toStep(snapshot, chain, reply, reading)]);
    const checked = await withTimeout(checking, defaults.checkMs);
    if (checked !== null) return checked.value;
    // It has not said so either; the reply is paid for and must not wait for it.
    log.warn(`The check of agent ${agent.name} took longer than ${defaults.checkMs} ms; the chain goes on without it.`);
    return null;
  } catch (error) {
    log.warn(`The check of agent ${agent.name} threw: ${toErrorMessage(error)}`);
    return null;
  }
}

/** The step as it stands before its calls are made. */
function toStep(snapshot: AgentSnapshot, { state, steps }: Chain, reply: Reply, said: Reading): Step {
  const number = state.steps + 1;
  // What words alone are, and whether the chain may finish, its plan says.
  const { reading } = updatePlan(state, snapshot, { reading: said });
  const calls = reading.calls.map((call, index) => createCall(number, index, call, state.now));
  const times = {
    modelCall: state.modelCalls,
    startedAt: steps.at(-1)?.endedAt ?? state.startedAt,
    endedAt: state.now,
  };
  const { usage, charged } = settleCurrentReply(state, reply, reading.content);
  return createStep(number, snapshot, { model: reply.model, usage, charged, reading }, calls, times);
}
