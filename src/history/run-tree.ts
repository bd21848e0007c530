/**
 * Finds activities and sub-chains that one run of a chain does not know: a reset discards all events after its cut.
 *
 * The runs of a chain form a tree. A run knows its path in the tree: itself, the runs that it was continued from, and of
 * each base of a reset the events before the cut. All other activities were started elsewhere: after a cut, in runs that
 * a base continued in, and in runs that other resets made of any of them.
 *
 * 1. Each event counts for the run that wrote it: a copied event counts for the base.
 * 2. Only the server's list names the runs of other resets. It may lag, so it is used once it contains the chain's latest
 *    run, or the run itself: it began after all of them.
 * 3. The server deletes runs in the order in which they closed. If a run of a path with a reset is gone, others may be
 *    gone too, and what they started is unknown.
 * 4. Closed runs do not change, and a reset leaves no other run open. So results are cached.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { type ArchivedRuns, isNotFound } from '../contract/index.js';
import { LonghandError } from '../core/lib/index.js';
import { defaults } from '../core/model/index.js';
import {
  type HistoryService,
  listRunIds,
  type RunIdService,
  type RunReference,
  readLatestRunId,
} from './read-history.js';
import { type RunLinks, type RunSummary, readRunLinks, readRunSummary } from './run-summary.js';

export interface RunsService extends HistoryService {
  readonly service: HistoryService['service'] & RunIdService;
}

type WorkInOtherRuns =
  | { readonly kind: 'known'; readonly activities: ReadonlySet<string>; readonly chains: ReadonlySet<string> }
  /** A run is gone, so the work of other runs is unknown. */
  | { readonly kind: 'unknown' };

const noWork: WorkInOtherRuns = { kind: 'known', activities: new Set(), chains: new Set() };

/** All methods throw what the server answers, and the archive's errors. */
export class RunTree {
  private readonly links = new LRUCache<string, RunLinks>({ max: defaults.runsRemembered });
  private readonly summaries = new LRUCache<string, RunSummary>({ max: defaults.runsRemembered });
  private readonly otherWork = new LRUCache<string, WorkInOtherRuns>({ max: defaults.runsRemembered });
  /** Runs without a reset in their path. */
  private readonly pureRuns = new LRUCache<string, true>({ max: defaults.runsRemembered });

  /** @param archive knows whether a run that the server deleted was made by a reset */
  constructor(private readonly archive: ArchivedRuns | null) {}

  async readWorkInOtherRuns(history: RunsService, run: RunReference): Promise<WorkInOtherRuns> {
    try {
      if (await this.hasNoReset(history, run)) return noWork;
      return this.otherWork.get(run.runId) ?? (await this.readOtherWork(history, run));
    } catch (error) {
      if (isNotFound(error)) return { kind: 'unknown' };
      throw error;
    }
  }

  /** Whether a chain or a sub-chain of it started such an activity, or still may. */
  async canHaveStarted(history: RunsService, chainId: string, activity: string): Promise<boolean> {
    try {
      const latest = await readLatestRunId(history, chainId);
      const runs = new Set([latest, ...(await waitForRunIds(history, { workflowId: chainId, runId: latest }))]);
      for (const runId of runs) {
        const summary = await this.findSummary(history, { workflowId: chainId, runId });
        if (!summary.closed || summary.activities.has(activity)) return true;
        if (summary.nextRunId !== null) runs.add(summary.nextRunId);
        for (const subChain of summary.chains.keys()) {
          if (await this.canHaveStarted(history, subChain, activity)) return true;
        }
      }
      return false;
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  }

  async readLinks(history: RunsService, run: RunReference): Promise<RunLinks> {
    const runLinks = this.links.get(run.runId) ?? (await readRunLinks(history, run));
    this.links.set(run.runId, runLinks);
    return runLinks;
  }

  private async findSummary(history: RunsService, run: RunReference): Promise<RunSummary> {
    const summary = this.summaries.get(run.runId) ?? (await readRunSummary(history, run));
    if (summary.closed) this.summaries.set(run.runId, summary);
    return summary;
  }

  private async hasNoReset(history: RunsService, run: RunReference): Promise<boolean> {
    const path: string[] = [];
    for (let runId: string | null = run.runId; runId !== null && this.pureRuns.get(runId) === undefined; ) {
      const { isReset, previousRunId } = await this.findOriginLinks(history, { ...run, runId });
      if (isReset) return false;
      path.push(runId);
      runId = previousRunId;
    }
    for (const runId of path) this.pureRuns.set(runId, true);
    return true;
  }

  private async findOriginLinks(
    history: RunsService,
    run: RunReference,
  ): Promise<Pick<RunLinks, 'isReset' | 'previousRunId'>> {
    try {
      return await this.readLinks(history, run);
    } catch (error) {
      const archivedRun = isNotFound(error) ? await this.archive?.findRun(run.workflowId, run.runId) : null;
      if (!archivedRun) throw error;
      const [first] = archivedRun.turns[0]?.facts ?? [];
      return {
        isReset: archivedRun.reset !== undefined,
        previousRunId: first?.type === 'continued' ? first.runId : null,
      };
    }
  }

  private async readOtherWork(history: RunsService, run: RunReference): Promise<WorkInOtherRuns> {
    const knownRuns = await this.listKnownRuns(history, run);
    const { firstRunId } = await this.readLinks(history, run);
    const activities = new Set<string>();
    const chains = new Set<string>();
    let isFinal = true;
    const runs = new Set([...knownRuns.keys(), ...(await waitForRunIds(history, run))]);
    // Iterating a set includes members added in the meantime.
    for (const runId of runs) {
      const until = knownRuns.get(runId) ?? 0;
      const at = { ...run, runId };
      if (until === allEvents || (await this.readLinks(history, at)).firstRunId !== firstRunId) continue;
      const summary = await this.findSummary(history, at);
      const from = Math.max(until, summary.reset?.cut ?? 0);
      for (const [type, last] of summary.activities) if (last >= from) activities.add(type);
      for (const [chain, last] of summary.chains) if (last >= from) chains.add(chain);
      if (summary.nextRunId !== null) runs.add(summary.nextRunId);
      isFinal &&= summary.closed;
    }
    const work: WorkInOtherRuns = { kind: 'known', activities, chains };
    if (isFinal) this.otherWork.set(run.runId, work);
    return work;
  }

  /** Returns the runs that a run knows, and up to which event. */
  private async listKnownRuns(history: RunsService, run: RunReference): Promise<ReadonlyMap<string, number>> {
    const knownRuns = new Map<string, number>();
    for (let runId: string | null = run.runId; runId !== null; ) {
      const at: RunReference = { ...run, runId };
      knownRuns.set(runId, allEvents);
      const { isReset, previousRunId } = await this.readLinks(history, at);
      let cut = allEvents;
      for (let copy = isReset ? await this.findSummary(history, at) : null; copy?.reset; ) {
        cut = Math.min(cut, copy.reset.cut);
        knownRuns.set(copy.reset.runId, cut);
        copy = await this.findSummary(history, { ...run, runId: copy.reset.runId });
      }
      runId = previousRunId;
    }
    return knownRuns;
  }
}

const allEvents = Number.POSITIVE_INFINITY;

/** @throws LonghandError `run_not_found` if the list does not contain the run in time */
async function waitForRunIds(history: RunsService, { workflowId, runId }: RunReference): Promise<readonly string[]> {
  for (let elapsedMs = 0; elapsedMs <= defaults.listingMs; elapsedMs += defaults.listingPollMs) {
    const ids = await listRunIds(history, workflowId);
    if (ids.includes(runId)) return ids;
    await delay(defaults.listingPollMs);
  }
  throw new LonghandError(
    'run_not_found',
    `Run ${runId} of ${workflowId} is not in the server's list of workflows yet. Try again later.`,
  );
}
