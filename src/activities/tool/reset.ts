/**
 * L5 and Temporal's reset: a run that was reset asks the model again, and may come to a call that was made before. So an
 * unsafe call is refused if such a call was begun where its chain does not know of it (history/begun-elsewhere.ts).
 *
 * 1. A call of the same tool stands in the way, whatever its step and its arguments.
 * 2. So does this very attempt, if the reset copied its beginning: the base had begun it too.
 * 3. So does a sub-chain that was begun elsewhere, by the chain itself or by one above it, if it may have called the tool;
 *    and an earlier attempt at a sub-chain, of which its parent knows the latest run alone.
 * 4. A person's word that the call did not happen stands against all of these, if the chain has asked for it since its last
 *    reset. A word that the reset handed on was said of what came before.
 */

import type { Context } from '@temporalio/activity';
import type { ArchivedRuns } from '../../contract/archived-runs.js';
import { failureTypes } from '../../contract/names.js';
import { createRunTree, type RunsService, type RunTree } from '../../history/begun-elsewhere.js';
import { type HistoryEvent, idOf } from '../../history/event.js';
import { type Run, readForward } from '../../history/read.js';
import { isRefusal, type RunStart, refusedAfterReset, resetPointIn, scheduledBy } from '../../history/run-branch.js';
import { failure, messageOf } from '../context/failures.js';

/** @throws a failure that leaves the outcome unknown, if the call may have happened; `NotDone`, if nobody can tell now */
export type RefuseAfterReset = (context: Context, retried: boolean) => Promise<void>;

export function createRefuseAfterReset(archived: ArchivedRuns | null): RefuseAfterReset {
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
      doubt = await doubtOf(tree, history, run, { tool, call });
      if (doubt !== null && retried && (await hasAsked(tree, history, run, call))) return;
    } catch (error) {
      const reason = `Whether a reset of this chain lies behind the call is not known; it was not run. ${messageOf(error)}`;
      throw failure(failureTypes.notDone, reason);
    }
    if (doubt !== null) throw failure(refusedAfterReset, doubt);
  };
}

interface Attempt {
  readonly tool: string;
  readonly call: string;
}

/** Why the call may have happened already. Null if it cannot have. */
async function doubtOf(tree: RunTree, history: RunsService, run: Run, { tool, call }: Attempt): Promise<string | null> {
  const { isReset } = await tree.startOf(history, run);
  if (isReset && attemptsIn(await eventsSinceReset(history, run), call).size === 0) {
    return `The run was reset in Temporal while ${tool} was running`;
  }
  for (let scope: Run | null = run; scope !== null; ) {
    const doubt = await doubtIn(tree, history, scope, tool);
    if (doubt !== null) return scope === run ? doubt : `Above, in chain ${scope.workflowId}: ${doubt}`;
    const { parent }: RunStart = await tree.startOf(history, scope);
    for (const chain of parent === null ? [] : earlierAttempts(scope.workflowId)) {
      if (await tree.mayHaveBegun(history, chain, tool)) {
        return `An earlier attempt at this sub-chain, ${chain}, may have called ${tool}`;
      }
    }
    scope = parent;
  }
  return null;
}

async function doubtIn(tree: RunTree, history: RunsService, scope: Run, tool: string): Promise<string | null> {
  const elsewhere = await tree.begunElsewhere(history, scope);
  if (elsewhere.kind === 'unknown') return `The server has deleted runs of the chain, which may have begun ${tool}`;
  if (elsewhere.activities.has(tool)) {
    return `The run was reset in Temporal, and another run of the chain had begun ${tool}`;
  }
  for (const chain of elsewhere.chains) {
    if (await tree.mayHaveBegun(history, chain, tool)) {
      return `The run was reset in Temporal, and another run of the chain had begun chain ${chain}, which may have called ${tool}`;
    }
  }
  return null;
}

/** The ids of the attempts before this one, for a sub-chain such as `editor-3f2a/2.1~3`. */
function earlierAttempts(chainId: string): readonly string[] {
  const [, first = '', attempt = '1'] = /^(.*)~(\d+)$/.exec(chainId) ?? [];
  return Array.from({ length: Number(attempt) - 1 }, (_, at) => (at === 0 ? first : `${first}~${at + 1}`));
}

/** Whether a person was asked about the call since the chain's last reset. A chain that waits for people may be continued. */
async function hasAsked(tree: RunTree, history: RunsService, run: Run, call: string): Promise<boolean> {
  for (let runId: string | null = run.runId; runId !== null; ) {
    const at: Run = { ...run, runId };
    const events = await eventsSinceReset(history, at);
    const attempts = attemptsIn(events, call);
    if (events.some((event) => isRefusal(event) && attempts.has(scheduledBy(event)))) return true;
    const { isReset, previous } = await tree.startOf(history, at);
    runId = isReset ? null : previous;
  }
  return false;
}

function attemptsIn(events: readonly HistoryEvent[], call: string): ReadonlySet<number> {
  return new Set(events.filter((event) => event.activityTaskScheduledEventAttributes?.activityId === call).map(idOf));
}

/** All events of a run that no reset made. */
async function eventsSinceReset(history: RunsService, run: Run): Promise<readonly HistoryEvent[]> {
  let events: HistoryEvent[] = [];
  for await (const page of readForward(history, run)) {
    const { cut = 0 } = resetPointIn(page) ?? {};
    if (cut > 0) events = [];
    events.push(...page.filter((event) => idOf(event) >= cut));
  }
  return events;
}
