/**
 * Rejects calls before their tool runs.
 *
 * L5 and Temporal's reset: a reset run calls the model again and may repeat a call. So an unsafe call is rejected if
 *    such a call was started in a run that its chain does not know (history/run-tree.ts).
 *
 * 1. A call of the same tool is enough, with any step and arguments.
 * 2. So is this very attempt, if the reset copied its start: the base run had started it too.
 * 3. So is a sub-chain started elsewhere, by the chain or by one above it, if it may have called the tool; and an
 *    earlier attempt at a sub-chain, of which the parent knows only the latest run.
 * 4. A person's decision that the call did not happen overrides all of these, if the chain requested it since its last
 *    reset. A decision that the reset copied is about the time before.
 *
 * Unchecked calls: the worker of the model call lacked the tool, so the policies run here. A call that requires approval
 * does not run; the chain requests the approval.
 *
 * Changed arguments: policies saw the model's arguments. If a person has changed them, the policies run again, so that
 * an approval under the rules of one call cannot cover another. Any rejection is `NotDone`, also if the policies could
 * not run.
 */

import { Context } from '@temporalio/activity';
import type { Agent } from '../../agents/index.js';
import { type ArchivedRuns, failureTypes, type RunToolInput } from '../../contract/index.js';
import { findMissingApprovals } from '../../core/engine/index.js';
import { type Json, toErrorMessage } from '../../core/lib/index.js';
import { parseCallWorkflowId, parseCheckActivityId, type RequestRules } from '../../core/model/index.js';
import {
  findResetPoint,
  getEventId,
  getScheduledEventId,
  type HistoryEvent,
  isResetRejection,
  type RunLinks,
  type RunReference,
  type RunsService,
  RunTree,
  readForward,
  resetRejectionType,
} from '../../history/index.js';
import type { ApprovalResult, Tool } from '../../tools/define/index.js';
import { readOwnChain } from '../context/activity-context.js';
import { evaluateApprovals, formatDenial, formatPolicyEnd, toPlanTask } from '../context/approval-layers.js';
import type { Dependencies } from '../context/dependencies.js';
import { createFailure } from '../context/failures.js';

/**
 * @throws a failure that leaves the outcome unknown if the call may have happened; `NotDone` if that cannot be
 *   determined now
 */
type RejectAfterReset = (context: Context, retried: boolean) => Promise<void>;

export function createRejectAfterReset(archived: ArchivedRuns | null): RejectAfterReset {
  const tree = new RunTree(archived);
  return async (context, retried) => {
    const {
      activityType: tool,
      activityId: call,
      workflowExecution: run = { workflowId: '', runId: '' },
    } = context.info;
    const { connection, options } = context.client;
    const history: RunsService = { service: connection.workflowService, namespace: options.namespace };
    let doubt: string | null;
    try {
      doubt = await findDoubt(tree, history, run, { tool, call });
      if (doubt !== null && retried && (await hasAsked(tree, history, run, call))) return;
    } catch (error) {
      const reason = `Cannot determine whether a reset repeats this call; it did not run. ${toErrorMessage(error)}`;
      throw createFailure(failureTypes.notDone, reason);
    }
    if (doubt !== null) throw createFailure(resetRejectionType, doubt);
  };
}

interface CallAttempt {
  readonly tool: string;
  readonly call: string;
}

/** Returns why the call may have happened; null if it cannot have. */
async function findDoubt(
  tree: RunTree,
  history: RunsService,
  run: RunReference,
  { tool, call }: CallAttempt,
): Promise<string | null> {
  const { isReset } = await tree.readLinks(history, run);
  if (isReset && listAttempts(await readEventsSinceReset(history, run), call).size === 0) {
    return `The run was reset in Temporal while ${tool} was running`;
  }
  for (let scope: RunReference | null = run; scope !== null; ) {
    const doubt = await findDoubtInRun(tree, history, scope, tool);
    if (doubt !== null) return scope === run ? doubt : `Above, in chain ${scope.workflowId}: ${doubt}`;
    const { parent }: RunLinks = await tree.readLinks(history, scope);
    for (const chain of parent === null ? [] : listEarlierAttempts(scope.workflowId)) {
      if (await tree.canHaveStarted(history, chain, tool)) {
        return `An earlier attempt at this sub-chain, ${chain}, may have called ${tool}`;
      }
    }
    scope = parent;
  }
  return null;
}

async function findDoubtInRun(
  tree: RunTree,
  history: RunsService,
  scope: RunReference,
  tool: string,
): Promise<string | null> {
  const elsewhere = await tree.readWorkInOtherRuns(history, scope);
  if (elsewhere.kind === 'unknown') return `The server has deleted runs of the chain, which may have started ${tool}`;
  if (elsewhere.activities.has(tool)) {
    return `The run was reset in Temporal, and another run of the chain had started ${tool}`;
  }
  for (const chain of elsewhere.chains) {
    if (await tree.canHaveStarted(history, chain, tool)) {
      return `The run was reset in Temporal, and another run of the chain had started chain ${chain}, which may have called ${tool}`;
    }
  }
  return null;
}

/** Lists the ids of earlier attempts at a sub-chain such as `editor-3f2a/2.1~3`. */
function listEarlierAttempts(chainId: string): readonly string[] {
  const [, first = '', attempt = '1'] = /^(.*)~(\d+)$/.exec(chainId) ?? [];
  return Array.from({ length: Number(attempt) - 1 }, (_, at) => (at === 0 ? first : `${first}~${at + 1}`));
}

/** Whether the chain has requested a decision about the call since its last reset. Follows continue-as-new back. */
async function hasAsked(tree: RunTree, history: RunsService, run: RunReference, call: string): Promise<boolean> {
  for (let runId: string | null = run.runId; runId !== null; ) {
    const at: RunReference = { ...run, runId };
    const events = await readEventsSinceReset(history, at);
    const attempts = listAttempts(events, call);
    const isRejection = (event: HistoryEvent) =>
      (isResetRejection(event) && attempts.has(getScheduledEventId(event))) || isTakenId(event, call);
    if (events.some(isRejection)) return true;
    const { isReset, previousRunId } = await tree.readLinks(history, at);
    runId = isReset ? null : previousRunId;
  }
  return false;
}

/** The id of the call's workflow was taken, so the chain requested the decision without a check. */
function isTakenId({ startChildWorkflowExecutionFailedEventAttributes: failed }: HistoryEvent, check: string): boolean {
  const call = parseCallWorkflowId(failed?.workflowId ?? '');
  return call !== null && call === parseCheckActivityId(check);
}

function listAttempts(events: readonly HistoryEvent[], call: string): ReadonlySet<number> {
  return new Set(
    events.filter((event) => event.activityTaskScheduledEventAttributes?.activityId === call).map(getEventId),
  );
}

/** Reads the events of a run without those that a reset copied. */
async function readEventsSinceReset(history: RunsService, run: RunReference): Promise<readonly HistoryEvent[]> {
  let events: HistoryEvent[] = [];
  for await (const page of readForward(history, run)) {
    const { cut = 0 } = findResetPoint(page) ?? {};
    if (cut > 0) events = [];
    events.push(...page.filter((event) => getEventId(event) >= cut));
  }
  return events;
}

interface CallPolicyContext extends Pick<Dependencies, 'approvals' | 'folds'> {
  readonly agent: Agent;
}

/** Rejects a call whose changed arguments require more approvals than it has. @throws {NotDone} */
export async function rejectChangedCall(context: CallPolicyContext, tool: Tool, input: RunToolInput): Promise<void> {
  if (input.changedUnder === undefined) return;
  const problem = `Cannot check the approvals of ${tool.name} for the changed arguments`;
  const verdict = await evaluateCall(context, tool, input, problem);
  rejectByEnd(tool.name, verdict);
  const rejection = findRejection(tool.name, input.changedUnder, verdict);
  if (rejection !== null) throw createFailure(failureTypes.notDone, rejection);
}

/** Evaluates the policies of an unchecked call. @throws {NotDone} if they deny it, a failure with rules if they require approval */
export async function checkUncheckedCall(context: CallPolicyContext, tool: Tool, input: RunToolInput): Promise<void> {
  if (!input.unchecked) return;
  const verdict = await evaluateCall(context, tool, input, `Cannot check the approvals of ${tool.name}`);
  rejectByEnd(tool.name, verdict);
  if (verdict.kind === 'deny') throw createFailure(failureTypes.notDone, formatDenial(tool.name, verdict.reason));
  if (verdict.kind !== 'request') return;
  const details = { ...verdict.rules } as unknown as Json;
  throw createFailure(failureTypes.approvalRequired, `The call of ${tool.name} requires approval.`, { details });
}

/** @throws {NotDone} a fatal one, which ends the chain */
function rejectByEnd(tool: string, verdict: ApprovalResult): void {
  if (verdict.kind !== 'end') return;
  throw createFailure(failureTypes.notDone, formatPolicyEnd(tool, verdict.reason), { details: { fatal: true } });
}

async function evaluateCall(
  { agent, approvals, folds }: CallPolicyContext,
  tool: Tool,
  call: RunToolInput,
  problem: string,
): Promise<ApprovalResult> {
  const context = Context.current();
  const chain = await readOwnChain(folds, context, problem);
  const { state, steps } = chain;
  const snapshot = state.agent?.tools.find(({ name }) => name === tool.name) ?? tool.snapshot;
  const policies = { agent, approvals, warn: (message: string) => context.log.warn(message) };
  const { activityId } = context.info;
  const step = steps.find(({ number }) => number === call.step);
  const made = step?.calls.find(({ id }) => id === (call.call ?? parseCheckActivityId(activityId) ?? activityId));
  return evaluateApprovals(policies, chain, {
    ...{ tool: snapshot, input: call.input, step: call.step, spent: state.charged },
    thought: step?.thought ?? null,
    planTask: toPlanTask(state, made?.task),
  });
}

function findRejection(tool: string, approvedBy: RequestRules, verdict: ApprovalResult): string | null {
  if (verdict.kind === 'deny') return formatDenial(tool, verdict.reason);
  const missing = verdict.kind === 'request' ? findMissingApprovals(approvedBy, verdict.rules) : null;
  if (missing === null) return null;
  return `${tool} did not run. A person changed its arguments. With these arguments it needs ${missing}. Call the tool again with them to request it.`;
}
