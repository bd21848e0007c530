/** L1, at each workflow task: what the true workflow held after it, found by replaying a history. */

import { fileURLToPath } from 'node:url';
import { type InjectedSinks, Worker, type WorkflowBundleOption } from '@temporalio/worker';
import type { State } from '../../src/core/model/state.js';
import { encryptionFor, sealedConverter } from '../../src/encryption/encryption.js';
import type { HistoryEvent } from '../../src/history/event.js';
import { buildWorkflowBundle } from '../../src/worker/bundle.js';
import type { StateSinks } from './report-states.js';

/** The workflow bundle, and in it what tells of each task. */
export function buildReportingBundle(): Promise<string> {
  return buildWorkflowBundle([fileURLToPath(new URL('./report-states.ts', import.meta.url))]);
}

/** One state for each task that delivered facts, oldest first. */
export async function statesIn(
  events: readonly HistoryEvent[],
  chainId: string,
  bundle: WorkflowBundleOption,
): Promise<readonly State[]> {
  const states: State[] = [];
  const held = (_: unknown, state: State) => {
    if (state.facts !== (states.at(-1)?.facts ?? 0)) states.push(state);
  };
  const sinks: InjectedSinks<StateSinks> = { states: { held: { fn: held, callDuringReplay: true } } };
  const dataConverter = sealedConverter(undefined, encryptionFor(undefined, process.env));
  const options = { workflowBundle: bundle, sinks, ...(dataConverter ? { dataConverter } : {}) };
  await Worker.runReplayHistory(options, { events: [...events] }, chainId);
  return states;
}
