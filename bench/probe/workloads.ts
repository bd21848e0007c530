/** The work that a comparison measures, on chains that this build recorded. */

import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { type ReplayResult, Worker } from '@temporalio/worker';
import { hashRequest } from '../../src/activities/model/request-digest.js';
import { parseRecordedChain } from '../../src/client/read/parse-recorded-chain.js';
import type { FoldedTurn } from '../../src/core/engine/fold-turns.js';
import { createRedactor } from '../../src/core/redact/redactor.js';
import { renderRequest } from '../../src/core/strategies/strategies.js';
import { toReasoning } from '../../src/core/view/build-reasoning.js';
import { view } from '../../src/core/view/view.js';
import { createViewer } from '../../src/core/view/visibility.js';
import { getEventId, type HistoryEvent } from '../../src/history/event.js';
import { emptyFold, foldEvents, foldEventsToTurns } from '../../src/history/fold.js';
import { createFoldCache } from '../../src/history/fold-cache.js';
import { parseHistoryJson } from '../../src/history/history-json.js';
import type { HistoryService } from '../../src/history/read-history.js';
import { toRequestBody } from '../../src/models/anthropic/request.js';
import { lookUp } from '../rig/task.js';

export interface Workload {
  /** How often one run does the work, so that a run takes long enough to be measured. */
  readonly times: number;
  /** Not measured. */
  readonly prepare?: () => Promise<void>;
  readonly run: () => Promise<void>;
}

/** Histories as Temporal's tools write them. */
export interface Recording {
  /** Of a chain with hundreds of steps. */
  readonly long: string;
  /** Of a chain with some tens of steps. */
  readonly short: string;
}

const converter = loadDataConverter();

const bundlePath = fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url));

/** Model calls that are prepared: those of the last steps. */
const preparedCalls = 20;

const redactedBytes = 1024 * 1024;

export async function createWorkloads({ long, short }: Recording): Promise<ReadonlyMap<string, Workload>> {
  const events = parseHistoryJson(long);
  const recorded = await parseRecordedChain(long, converter);
  const text = createText();
  const developer = createViewer('developer');
  return new Map<string, Workload>([
    ['fold', { times: 1, run: async () => void (await foldEvents(emptyFold, events, converter)) }],
    ['turn', await createReplay(parseHistoryJson(short))],
    ['model call', await createPreparation(events)],
    ['view', { times: 1, run: async () => void view(toReasoning(recorded), developer) }],
    ['redaction', { times: 1, run: async () => void createRedactor().text(text) }],
  ]);
}

/** Replays a chain in the workflow's sandbox. Counted by its turns. */
async function createReplay(events: readonly HistoryEvent[]): Promise<Workload> {
  const { turns } = await foldEventsToTurns(emptyFold, events, converter);
  const histories = new PassThrough({ objectMode: true });
  const results: AsyncIterator<ReplayResult> = Worker.runReplayHistories(
    { workflowBundle: { codePath: bundlePath } },
    histories,
  );
  return {
    times: turns.length,
    run: async () => {
      histories.write({ workflowId: 'replayed', history: { events } });
      const { value } = await results.next();
      if (value?.error) throw value.error;
    },
  };
}

/** Prepares model calls as their activity does: reads what is new of the history, folds it, compares and renders. */
async function createPreparation(events: readonly HistoryEvent[]): Promise<Workload> {
  const { turns } = await foldEventsToTurns(emptyFold, events, converter);
  const calls = turns.filter(({ actions }) => actions.some(({ type }) => type === 'callModel'));
  const [before, ...prepared] = calls.slice(-preparedCalls - 1).map((turn) => locateCall(turn, events));
  if (before === undefined || prepared.length < preparedCalls) throw new Error('The recorded chain is too short.');
  const server = createServer(events);
  let folds = createFoldCache({ converter, archived: null });
  return {
    times: prepared.length,
    // A worker reads a chain from its start once.
    prepare: async () => {
      folds = createFoldCache({ converter, archived: null });
      server.moveTo(before);
      await folds.readAt(server.history, run, before);
    },
    run: async () => {
      for (const call of prepared) {
        server.moveTo(call);
        await prepareCall(folds, server.history, call);
      }
    },
  };
}

const run = { workflowId: 'prepared', runId: 'prepared' };

interface CallPosition {
  /** Events before the task that asks for the call. */
  readonly events: number;
  readonly head: string;
  /** Events when the call's activity begins: with the commands of the task. */
  readonly until: number;
}

function locateCall({ history, state }: FoldedTurn, events: readonly HistoryEvent[]): CallPosition {
  const completed = events.findIndex((event) => getEventId(event) === history.events + 1);
  const next = events.findIndex((event, at) => at > completed && event.workflowTaskScheduledEventAttributes);
  return { events: history.events, head: state.head, until: next < 0 ? events.length : next };
}

async function prepareCall(
  folds: ReturnType<typeof createFoldCache>,
  history: HistoryService,
  position: CallPosition,
): Promise<void> {
  const chain = await folds.readAt(history, run, position);
  const { agent, head } = chain.state;
  if (agent === null || head !== position.head) throw new Error('The history folds to another chain than its own.');
  const request = renderRequest(chain, agent, 'step');
  hashRequest(request);
  JSON.stringify(toRequestBody({ request, model: agent.model, maxTokens: agent.model.maxTokens }));
}

/** A server that has the history up to a call. Pages are counted in batches, of about two events. */
function createServer(events: readonly HistoryEvent[]) {
  let until = 0;
  const service = {
    getWorkflowExecutionHistory: async () => ({ history: { events: events.slice(0, until) } }),
    getWorkflowExecutionHistoryReverse: async ({ maximumPageSize }: { readonly maximumPageSize: number }) => ({
      history: { events: events.slice(Math.max(0, until - 2 * maximumPageSize), until).reverse() },
    }),
  };
  return {
    history: { service, namespace: 'default' } as unknown as HistoryService,
    moveTo: (call: CallPosition) => {
      until = call.until;
    },
  };
}

/** A text like the observations of an agent: prose, JSON, logs, some secrets and some personal data. */
function createText(): string {
  const lines: string[] = [];
  for (let bytes = 0, line = 1; bytes < redactedBytes; line += 1) {
    const written = [
      lookUp(`P-${line}`).slice(0, 300),
      JSON.stringify({
        id: line,
        user: `user-${line}`,
        email: `user${line % 97}@example.com`,
        note: 'The order was shipped.',
      }),
      `2026-01-01T00:00:${String(line % 60).padStart(2, '0')}Z info request ${line} took ${line % 900} ms, token=abc${line % 89}xyz9Q8W7E6R5T4`,
    ].join('\n');
    lines.push(written);
    bytes += written.length + 1;
  }
  return lines.join('\n').slice(0, redactedBytes);
}
