/**
 * Checks a reply before it becomes a fact. Providers, policies and checks are user code: they run in the worker, never
 * in the workflow.
 *
 * 1. Policies decide which calls require approval. Their verdicts go into the fact; policies run again only after a
 *    person changes the arguments. Calls that will not run are skipped. A worker that lacks the tool of a call, as an
 *    older or a newer version of the agent may, has neither its schema nor its policy: the worker that runs it checks it.
 * 2. The agent's own check may end the chain: after a reply, and after the observations of its calls.
 */

import { log } from '@temporalio/activity';
import { type Agent, formatInvalidCall } from '../../agents/index.js';
import {
  createCall,
  createStep,
  isPermitted,
  settleCurrentReply,
  updatePlan,
  validateArguments,
} from '../../core/engine/index.js';
import { type Json, toCanonicalJson, toErrorMessage } from '../../core/lib/index.js';
import {
  type AgentSnapshot,
  type Chain,
  type ChainState,
  type CheckResult,
  defaults,
  hasEnding,
  type ModelReply,
  type Reading,
  type Reply,
  type RequestedCall,
  type RequestRules,
  type Step,
  type ToolSnapshot,
} from '../../core/model/index.js';
import { withTimeout } from '../../timing/index.js';
import { type ApprovalCase, type ApprovalResult, toApprovalResult } from '../../tools/define/index.js';
import { findChangedTool } from '../context/agent-tools.js';
import {
  evaluateApprovals,
  formatDenial,
  formatPolicyEnd,
  type PolicyContext,
  toPlanTask,
} from '../context/approval-layers.js';

/** A reply with the provider that gave it, why it was asked, and the digest of its request. */
export type SentReply = Reply & Pick<ModelReply, 'provider' | 'request' | 'route' | 'cached'>;

interface ReplyApprovals {
  /** The reading, with denied calls rejected. */
  readonly reading: Reading;
  /** In the order of the reading's calls; null if no call requires approval. */
  readonly approvals: readonly (RequestRules | null)[] | null;
  /** Positions of the calls whose tools this worker lacks. */
  readonly unchecked: readonly number[];
  /** The end of the chain by a policy; null for none. */
  readonly end: CheckResult | null;
}

/** Evaluates the policies for each call of a reply. */
export async function evaluateReplyApprovals(
  policies: PolicyContext,
  chain: Pick<Chain, 'state' | 'steps'>,
  reply: Pick<SentReply, 'usage' | 'route' | 'cached'>,
  reading: Reading,
): Promise<ReplyApprovals> {
  if (reading.problem !== null || hasEnding(reading)) return { reading, approvals: null, unchecked: [], end: null };
  const { state } = chain;
  const findPlanTask = createPlanTaskFinder(state, reading);
  const { charged } = settleCurrentReply(state, reply, reading.content).state;
  const results = await Promise.all(
    reading.calls.map(async (call, index): Promise<ApprovalResult> => {
      const tool = findExecutableTool(state, call, index);
      if (tool === null) return { kind: 'nothing' };
      if (isMissingTool(policies.agent, state, tool.name)) return evaluateMissingTool(tool);
      return evaluateApprovals(policies, chain, {
        ...{ tool, input: call.input, step: state.steps + 1, spent: charged },
        ...{ thought: reading.thought, planTask: findPlanTask(index) },
      });
    }),
  );
  const unchecked = reading.calls.flatMap(({ tool, rejected }, index) => {
    return rejected === null && isMissingTool(policies.agent, state, tool) ? [index] : [];
  });
  const rules = results.map((result) => (result.kind === 'request' ? result.rules : null));
  return {
    reading: { ...reading, calls: reading.calls.map((call, index) => applyDenial(call, results[index])) },
    approvals: rules.some((rule) => rule !== null) ? rules : null,
    unchecked,
    end: findPolicyEnd(reading, results),
  };
}

function findPolicyEnd({ calls }: Reading, results: readonly ApprovalResult[]): CheckResult | null {
  const at = results.findIndex(({ kind }) => kind === 'end');
  const result = results[at];
  if (result?.kind !== 'end') return null;
  const reason = formatPolicyEnd(calls[at]?.tool ?? '', result.reason);
  return { outcome: 'failure', reason, answer: null, by: 'policy' };
}

/** Returns the plan's task that a call of the reply serves, by the call's position; null without a plan. */
function createPlanTaskFinder(state: ChainState, reading: Reading): (index: number) => ApprovalCase['planTask'] {
  if (state.planning === null || state.agent === null) return () => null;
  const planned = updatePlan(state, state.agent, { reading });
  return (index) => {
    const call = planned.calls[index];
    return call?.kind === 'tool' ? toPlanTask(planned.state, call.task) : null;
  };
}

/** Whether the chain offers a tool to its model that its agent no longer has, or does not have yet, on this worker. */
function isMissingTool(agent: Agent, state: Pick<ChainState, 'agent'>, name: string): boolean {
  return agent.tool(name) === undefined && state.agent?.tools.some((tool) => tool.name === name) === true;
}

/**
 * Returns why the arguments of a call are invalid, as the model reads it; null where they are valid. The worker that runs a
 * call of a missing tool validates its arguments. No worker runs a question, a wait or a delegating call: the schema of the
 * snapshot validates these, without the refinements of the tool.
 */
export function validateCall(agent: Agent, snapshot: AgentSnapshot, name: string, input: Json): string | null {
  const tool = snapshot.tools.find((candidate) => candidate.name === name);
  const changed = tool === undefined ? null : findChangedTool(agent, tool);
  if (changed !== null) return changed;
  if (tool === undefined || !isMissingTool(agent, { agent: snapshot }, name)) return agent.validateCall(name, input);
  if (tool.question === null && !tool.waits && tool.delegates === null) return null;
  return formatInvalidCall(name, validateArguments(tool.inputSchema, input));
}

/** Returns what is wrong with an answer, for the model. An agent that changed since has refinements of another schema. */
export function validateAnswer(agent: Agent, { outputSchema }: AgentSnapshot, answer: Json): string | null {
  if (outputSchema === undefined) return null;
  return toCanonicalJson(agent.outputSchema) === toCanonicalJson(outputSchema)
    ? agent.validateAnswer(answer)
    : validateArguments(outputSchema, answer);
}

/** No worker runs a delegating call, so none evaluates its policies later: a person decides. */
function evaluateMissingTool(tool: ToolSnapshot): ApprovalResult {
  if (tool.delegates === null) return { kind: 'nothing' };
  const reason = `The worker of the model call does not have ${tool.name}, so its approval policy is unknown. A person must decide.`;
  return toApprovalResult({ reason }, tool, reason);
}

/** Returns the tool; null for a call that will not run: rejected, unknown, not permitted, over the limit, a question, or a wait. */
function findExecutableTool(
  state: ChainState,
  { tool: name, rejected }: RequestedCall,
  index: number,
): ToolSnapshot | null {
  const tool = state.agent?.tools.find((candidate) => candidate.name === name);
  if (tool === undefined || !isPermitted(state, tool) || rejected !== null || index >= defaults.callsPerStep)
    return null;
  return tool.question === null && !tool.waits ? tool : null;
}

function applyDenial(call: RequestedCall, result: ApprovalResult | undefined): RequestedCall {
  if (result?.kind !== 'deny') return call;
  return { ...call, rejected: formatDenial(call.tool, result.reason) };
}

/** Runs the agent's own check on the last step with its observations, before the next reply is paid for. */
export async function checkObservations(agent: Agent, { steps }: Chain): Promise<CheckResult | null> {
  return (steps.at(-1)?.calls.length ?? 0) > 0 ? runCheck(agent, steps) : null;
}

/** Runs the agent's own check on a reply. */
export async function checkReply(
  agent: Agent,
  chain: Chain,
  reply: SentReply,
  reading: Reading,
): Promise<CheckResult | null> {
  const snapshot = chain.state.agent;
  if (agent.check === null || snapshot === null) return null;
  return runCheck(agent, [...chain.steps, toStep(snapshot, chain, reply, reading)]);
}

/** A check that throws does not end the chain. */
async function runCheck(agent: Agent, steps: readonly Step[]): Promise<CheckResult | null> {
  if (agent.check === null) return null;
  try {
    const checked = await withTimeout(agent.check(steps), defaults.checkMs);
    if (checked !== null) return checked.value;
    // No result in time counts as no objection: a paid reply must not wait.
    log.warn(
      `The check of agent ${agent.name} took longer than ${defaults.checkMs} ms; the chain continues without it.`,
    );
    return null;
  } catch (error) {
    log.warn(`The check of agent ${agent.name} threw: ${toErrorMessage(error)}`);
    return null;
  }
}

/** Creates the step as it is before its calls run. */
function toStep(snapshot: AgentSnapshot, { state, steps }: Chain, reply: SentReply, parsed: Reading): Step {
  const number = state.steps + 1;
  // The plan decides how text without calls is read, and whether the chain may finish.
  const { reading } = updatePlan(state, snapshot, { reading: parsed });
  const calls = reading.calls.map((call, index) => createCall(number, index, call, state.now));
  const times = {
    modelCall: state.modelCalls,
    startedAt: steps.at(-1)?.endedAt ?? state.startedAt,
    endedAt: state.now,
  };
  const { usage, price, charged } = settleCurrentReply(state, reply, reading.content);
  return createStep(number, { ...reply, usage, price, charged, reading }, calls, times);
}
