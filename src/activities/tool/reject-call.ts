/**
 * The refusals of a call before its tool is run.
 *
 * L5 and Temporal's reset: a run that was reset asks the model again, and may repeat a call. So an unsafe call is refused
 * if such a call was begun where its chain does not know of it (history/run-tree.ts).
 *
 * 1. A call of the same tool is enough, whatever its step and its arguments.
 * 2. So is this very attempt, if the reset copied its beginning: the base had begun it too.
 * 3. So is a sub-chain that was begun elsewhere, by the chain itself or by one above it, if it may have called the tool;
 *    and an earlier attempt at a sub-chain, of which its parent knows the latest run alone.
 * 4. A person's decision that the call did not happen outweighs all of these, if the chain has asked for it since its last
 *    reset. A decision that the reset copied is about the time before.
 *
 * Changed arguments: policies saw the arguments of the model. Where a person has set others, the policies are asked once
 * more, so that no person approves by the rules of one call what the rules of another forbid. Any refusal is `NotDone`,
 * also where the policies could not be asked.
 */

import { Context } from '@temporalio/activity';
import type { Agent } from '../../agents/define-agent.js';
import type { RunToolInput } from '../../contract/activities.js';
import type { ArchivedRuns } from '../../contract/archived-runs.js';
import { failureTypes } from '../../contract/names.js';
import { findMissingApprovals } from '../../core/approvals/changed-arguments.js';
import type { RequestRules } from '../../core/model/request.js';
import { getEventId, type HistoryEvent } from '../../history/event.js';
import { type Run, readForward } from '../../history/read-history.js';
import {
  findResetPoint,
  getScheduledEventId,
  isResetRefusal,
  type RunLinks,
  resetRefusalType,
} from '../../history/run-summary.js';
import { createRunTree, type RunsService, type RunTree } from '../../history/run-tree.js';
import type { ApprovalResult } from '../../tools/approval/combine-approvals.js';
import type { Tool } from '../../tools/define/define-tool.js';
import { readOwnState } from '../context/activity-context.js';
import { evaluateApprovals, formatDenial } from '../context/approval-layers.js';
import type { Dependencies } from '../context/dependencies.js';
import { createFailure, toErrorMessage } from '../context/failures.js';

/** @throws a failure that leaves the outcome unknown, if the call may have happened; `NotDone`, if nobody can tell now */
type RejectAfterReset = (context: Context, retried: boolean) => Promise<void>;

export function createRejectAfterReset(archived: ArchivedRuns | null): RejectAfterReset {
  const tree = createRunTree(archived);
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
      const reason = `Whether a reset of this chain lies behind the call is not known; it was not run. ${toErrorMessage(error)}`;
      throw createFailure(failureTypes.notDone, reason);
    }
    if (doubt !== null) throw createFailure(resetRefusalType, doubt);
  };
}

interface CallAttempt {
  readonly tool: string;
  readonly call: string;
}

/** Why the call may have happened already. Null if it cannot have. */
async function findDoubt(
  tree: RunTree,
  history: RunsService,
  run: Run,
  { tool, call }: CallAttempt,
): Promise<string | null> {
  const { isReset } = await tree.readLinks(history, run);
  if (isReset && listAttempts(await readEventsSinceReset(history, run), call).size === 0) {
    return `The run was reset in Temporal while ${tool} was running`;
  }
  for (let scope: Run | null = run; scope !== null; ) {
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

async function findDoubtInRun(tree: RunTree, history: RunsService, scope: Run, tool: string): Promise<string | null> {
  const elsewhere = await tree.readWorkInOtherRuns(history, scope);
  if (elsewhere.kind === 'unknown') return `The server has deleted runs of the chain, which may have begun ${tool}`;
  if (elsewhere.activities.has(tool)) {
    return `The run was reset in Temporal, and another run of the chain had begun ${tool}`;
  }
  for (const chain of elsewhere.chains) {
    if (await tree.canHaveStarted(history, chain, tool)) {
      return `The run was reset in Temporal, and another run of the chain had begun chain ${chain}, which may have called ${tool}`;
    }
  }
  return null;
}

/** The ids of the attempts before this one, for a sub-chain such as `editor-3f2a/2.1~3`. */
function listEarlierAttempts(chainId: string): readonly string[] {
  const [, first = '', attempt = '1'] = /^(.*)~(\d+)$/.exec(chainId) ?? [];
  return Array.from({ length: Number(attempt) - 1 }, (_, at) => (at === 0 ? first : `${first}~${at + 1}`));
}

/** Whether a person was asked about the call since the chain's last reset. A chain that waits for people may be continued. */
async function hasAsked(tree: RunTree, history: RunsService, run: Run, call: string): Promise<boolean> {
  for (let runId: string | null = run.runId; runId !== null; ) {
    const at: Run = { ...run, runId };
    const events = await readEventsSinceReset(history, at);
    const attempts = listAttempts(events, call);
    if (events.some((event) => isResetRefusal(event) && attempts.has(getScheduledEventId(event)))) return true;
    const { isReset, previousRunId } = await tree.readLinks(history, at);
    runId = isReset ? null : previousRunId;
  }
  return false;
}

function listAttempts(events: readonly HistoryEvent[], call: string): ReadonlySet<number> {
  return new Set(
    events.filter((event) => event.activityTaskScheduledEventAttributes?.activityId === call).map(getEventId),
  );
}

/** All events of a run that no reset made. */
async function readEventsSinceReset(history: RunsService, run: Run): Promise<readonly HistoryEvent[]> {
  let events: HistoryEvent[] = [];
  for await (const page of readForward(history, run)) {
    const { cut = 0 } = findResetPoint(page) ?? {};
    if (cut > 0) events = [];
    events.push(...page.filter((event) => getEventId(event) >= cut));
  }
  return events;
}

interface ChangedCallContext extends Pick<Dependencies, 'approvals' | 'folds'> {
  readonly agent: Agent;
}

/** Refuses a call whose changed arguments need more approvals than it has. @throws NotDone */
export async function rejectChangedCall(asking: ChangedCallContext, tool: Tool, input: RunToolInput): Promise<void> {
  if (input.changedUnder === undefined) return;
  const refused = findRejection(tool.name, input.changedUnder, await evaluateChangedCall(asking, tool, input));
  if (refused !== null) throw createFailure(failureTypes.notDone, refused);
}

async function evaluateChangedCall(
  { agent, approvals, folds }: ChangedCallContext,
  tool: Tool,
  call: RunToolInput,
): Promise<ApprovalResult> {
  const context = Context.current();
  const problem = `Whether ${tool.name} may be run with the arguments that a person set could not be found out`;
  const state = await readOwnState(folds, context, problem);
  const snapshot = state.agent?.tools.find(({ name }) => name === tool.name) ?? tool.snapshot;
  const askers = { agent, approvals, warn: (message: string) => context.log.warn(message) };
  return evaluateApprovals(askers, state, { tool: snapshot, input: call.input, step: call.step, spent: state.charged });
}

function findRejection(tool: string, approvedBy: RequestRules, said: ApprovalResult): string | null {
  if (said.kind === 'deny') return formatDenial(tool, said.reason);
  const missing = said.kind === 'ask' ? findMissingApprovals(approvedBy, said.rules) : null;
  if (missing === null) return null;
  return `${tool} was not run. A person changed its arguments, and with these it needs ${missing}. If it is to be run with them, call it with them: then they are asked.`;
}
