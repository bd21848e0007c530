/** The status in events of the format `reasoning`, over recorded chains: clients see each wait, the end, and how it ended. */

import type { Connection } from '@temporalio/client';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { describe, expect, it } from 'vitest';
import { watch } from '../../../src/client/follow/watch.js';
import { createViewer } from '../../../src/entries/view.js';
import { Follower } from '../../../src/gateway/streams/follower.js';
import { Hub, type HubChain } from '../../../src/gateway/streams/hub.js';
import { parsePositionId } from '../../../src/gateway/streams/position-id.js';
import { reasoningFormat } from '../../../src/gateway/streams/reasoning-frames.js';
import { findPreviousRunId } from '../../../src/history/earlier-runs.js';
import { getEventId, type HistoryEvent } from '../../../src/history/event.js';
import { readStoredRuns } from '../../histories/continued.js';
import { converter, readStoredHistories } from '../../histories/stored.js';
import { isLong } from '../../support/budget.js';
import { createPagedHistory } from '../../support/paged-history.js';

const stored = readStoredHistories();
const runId = '0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';

function getStored(name: string): readonly HistoryEvent[] {
  const found = stored.find((each) => each.name === name);
  if (found === undefined) throw new Error(`No stored history is named ${name}.`);
  return found.events;
}

const connection = { withAbortSignal: (_: AbortSignal, run: () => unknown) => run() } as unknown as Connection;

type Runs = ReadonlyMap<string, readonly HistoryEvent[]>;

/** Returns the messages of the stream of a closed chain. @param lastId as a client returns it; null from the start */
async function readMessages(
  events: readonly HistoryEvent[] | Runs,
  lastId: string | null = null,
  logLimit = 1_000_000,
): Promise<readonly EventSourceMessage[]> {
  const runs: Runs = events instanceof Map ? events : new Map([[runId, events as readonly HistoryEvent[]]]);
  const place = { chainId: 'c', runId: [...runs.keys()].at(-1) ?? '', namespace: 'default' };
  const server = { connection, service: createPagedHistory(runs).service, converter };
  const source = { ...place, ...server, archived: null, archivedChain: null };
  const viewer = createViewer('developer');
  const turns = reasoningFormat.needsTurns;
  const chain: HubChain = {
    runId: source.runId,
    watch: (signal) => watch(source, null, viewer, { turns, signal }),
    replay: (from, signal) => watch(source, null, viewer, { turns, signal, ...(from === null ? {} : { from }) }),
  };
  const onStopped = () => {};
  const hub = new Hub(chain, { format: reasoningFormat, getLogLimit: () => logLimit, lingerMs: 0, onStopped });
  hub.enter();
  const from = lastId === null ? null : parsePositionId(lastId);
  const messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => messages.push(message) });
  for await (const bytes of new Follower(hub, { from, opening: new Uint8Array(), closing: new Uint8Array() }))
    parser.feed(new TextDecoder().decode(bytes));
  return messages;
}

const listStatuses = (messages: readonly EventSourceMessage[]) =>
  messages.map(({ event, data }) => {
    const { step, chain_status } = JSON.parse(data);
    return `${event === 'reasoning' ? step.step_id : event} ${chain_status}`;
  });

/** Ends the chain by the server instead, before an event. */
function terminateAt(events: readonly HistoryEvent[], id: number): readonly HistoryEvent[] {
  const before = events.filter((event) => getEventId(event) < id);
  const close = { eventId: id, eventTime: before.at(-1)?.eventTime, workflowExecutionTerminatedEventAttributes: {} };
  return [...before, close as unknown as HistoryEvent];
}

describe('the status of reasoning events', () => {
  it('of an answer is completed', async () => {
    expect(listStatuses(await readMessages(getStored('parallel-tools')))).toEqual([
      ...['1 tool_calling', '1.1 tool_calling', '1.2 tool_calling', '1.3 tool_calling'],
      ...['1.1r tool_calling', '1.3r tool_calling', '1.2r thinking'],
      ...['2 tool_calling', '2.1 tool_calling', '2.2 tool_calling', '2.2r tool_calling', '2.1r thinking'],
      ...['3a completed', 'view-completed completed'],
    ]);
  });

  it('is failed where the chain ends without an answer, with the newest step again where none is new', async () => {
    expect(listStatuses(await readMessages(getStored('limit-with-closing')))).toEqual([
      ...['1 tool_calling', '1.1 tool_calling', '1.1r thinking', '2 tool_calling', '2.1 tool_calling'],
      ...['2.1r thinking', '2.1r failed', 'view-completed failed'],
    ]);
  });

  it('is failed from the cancel on, in the model call as in calls', async () => {
    expect(listStatuses(await readMessages(getStored('cancel-in-model-call')))).toEqual([
      ...['1 tool_calling', '1.1 tool_calling', '1.1r thinking', '1.1r failed', 'view-completed failed'],
    ]);
    expect(listStatuses(await readMessages(getStored('cancel-in-tools')))).toEqual([
      ...['1 tool_calling', '1.1 tool_calling', '1.2 tool_calling', '1.1r tool_calling'],
      ...['1.2r failed', 'view-completed failed'],
    ]);
  });

  it('is waiting while the chain is paused or a person decides, and no longer', async () => {
    const steered = listStatuses(await readMessages(getStored('people-steer')));
    // Paused after the first step, and resumed.
    expect(steered.slice(0, 5)).toEqual(['1 waiting', '1.1 waiting', '1.1r waiting', '1.1r thinking', '2 waiting']);
    expect(steered.slice(-2)).toEqual(['4a completed', 'view-completed completed']);
    expect(listStatuses(await readMessages(getStored('tool-asks')))).toEqual([
      ...['1 tool_calling', '1.1 tool_calling', '1.2 tool_calling', '1.2 waiting', '1.2r waiting'],
      ...['1.2r tool_calling'],
      ...['1.1r thinking', '2a completed', 'view-completed completed'],
    ]);
  });

  it.each(stored.map(({ name }) => name))(
    'is in the chain %s that of the end, for clients of these events alone',
    async (name) => {
      const messages = await readMessages(getStored(name));
      const [last, end] = listStatuses(messages.slice(-2));
      expect([messages.at(-2)?.event, last?.split(' ')[1]]).toEqual(['reasoning', end?.split(' ')[1]]);
      // Each has its own place, so that a client continues after it.
      expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
    },
  );

  it.each([1, 1_000_000])('has a place that a client continues after, from a log of %s bytes', async (logLimit) => {
    for (const name of ['people-steer', 'cancel-in-model-call']) {
      const all = await readMessages(getStored(name));
      // After the last place, a stream is not opened.
      const places = [...all.slice(0, -1).entries()].filter(([at]) => isLong || at % 4 === 1);
      for (const [at, { id = '' }] of places)
        expect(await readMessages(getStored(name), id, logLimit)).toEqual(all.slice(at + 1));
    }
  });

  it('is thinking at the end of a run whose next run calls the model', async () => {
    const [first = [], second = [], third = []] = readStoredRuns();
    const [firstId, secondId] = await Promise.all([second[0], third[0]].map((at) => findPreviousRunId(at, converter)));
    const runs = new Map([
      [firstId ?? '', first],
      [secondId ?? '', second],
      [runId, third],
    ]);
    expect(listStatuses(await readMessages(runs))).toEqual([
      ...['1 tool_calling', '1.1 tool_calling', '1.1r thinking', '2 tool_calling', '2.1 tool_calling', '2.1r thinking'],
      ...['3 waiting', '3.1 waiting', '3.1 tool_calling', '3.1r thinking'],
      ...['4 tool_calling', '4.1 tool_calling', '4.1r thinking', '5a completed', 'view-completed completed'],
    ]);
  });

  it('is failed before the end of a chain that the server ended, in an event without an id of its own', async () => {
    const events = getStored('cancel-in-model-call');
    const firstCancel = events.find((event) => event.workflowExecutionUpdateAcceptedEventAttributes);
    if (firstCancel === undefined) throw new Error('The chain was not cancelled.');
    const messages = await readMessages(terminateAt(events, getEventId(firstCancel) - 3));
    expect(listStatuses(messages)).toEqual([
      ...['1 tool_calling', '1.1 tool_calling', '1.1r thinking', '1.1r failed', 'view-completed failed'],
    ]);
    // A client that gets no more than the first of both gets both again.
    expect(messages.slice(-2).map(({ id }) => id === undefined)).toEqual([true, false]);
  });
});
