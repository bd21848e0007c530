/** L1 at each workflow task: the state of the real workflow after it, from a replay of the history. */

import { fileURLToPath } from 'node:url';
import {
  DefaultLogger,
  type InjectedSinks,
  type ReplayResult,
  Worker,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import type { ChainState } from '../../src/entries/view.js';
import type { HistoryEvent } from '../../src/history/event.js';
import { buildWorkflowBundle } from '../../src/worker/bundle.js';
import { createEnvironmentConverter } from './opened.js';
import type { StateSinks } from './report-states.js';

/** Builds the workflow bundle with an interceptor that reports the state after each task. */
export function buildReportingBundle(): Promise<string> {
  return buildWorkflowBundle({ interceptors: [fileURLToPath(new URL('./report-states.ts', import.meta.url))] });
}

/** A worker that replays histories one after the other. It is shared, because its start costs as much as many replays. */
export interface Replayer {
  /** Returns a state for each task that delivered facts, oldest first. */
  readonly statesIn: (events: readonly HistoryEvent[], chainId: string) => Promise<readonly ChainState[]>;
  readonly close: () => Promise<void>;
}

interface Replay {
  readonly workflowId: string;
  readonly history: { readonly events: HistoryEvent[] };
}

/** Opens a replayer with the current keys of the environment. */
export function openReplayer(workflowBundle: WorkflowBundleOption): Replayer {
  let states: ChainState[] = [];
  const held = (_: unknown, state: ChainState) => {
    if (state.facts !== (states.at(-1)?.facts ?? 0)) states.push(state);
  };
  const sinks: InjectedSinks<StateSinks> = { states: { held: { fn: held, callDuringReplay: true } } };
  const dataConverter = createEnvironmentConverter();

  const waiting: Replay[] = [];
  let wake = () => {};
  let closed = false;
  async function* given(): AsyncGenerator<Replay> {
    while (!closed) {
      const next = waiting.shift();
      if (next) yield next;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  const logger = new DefaultLogger('ERROR');
  const options = { workflowBundle, sinks, logger, ...(dataConverter ? { dataConverter } : {}) };
  const results: AsyncIterator<ReplayResult> = Worker.runReplayHistories(options, given());
  const replay = async (events: readonly HistoryEvent[], workflowId: string): Promise<readonly ChainState[]> => {
    states = [];
    waiting.push({ workflowId, history: { events: [...events] } });
    wake();
    const result = await results.next();
    if (result.done) throw new Error('The replaying worker has ended.');
    if (result.value.error) throw result.value.error;
    return states;
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    statesIn: (events, chainId) => {
      const states = last.then(() => replay(events, chainId));
      last = states.catch(() => {});
      return states;
    },
    close: async () => {
      await last;
      closed = true;
      wake();
      await results.return?.();
    },
  };
}
