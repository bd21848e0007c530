/** The event at which the real workflow and a history diverge. */

import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

import { debugChain, silenceRuntime } from '../../../src/cli/chain/debug.js';

import { buildWorkflowBundle } from '../../../src/worker/bundle.js';
import { recorded } from '../../histories/stored.js';
import { matchError } from '../../support/match-error.js';
import { printed } from '../../support/printed.js';

type Attributes = Record<string, unknown>;
type Event = Record<string, Attributes> & { eventId: string; eventType: string };

const path = new URL('parallel-tools.history.json', recorded).pathname;

let code = '';
beforeAll(async () => {
  silenceRuntime();
  code = await buildWorkflowBundle();
});

const runDebug = (file: string, json: boolean) =>
  printed((terminal) => debugChain(terminal, file, { json }, async () => ({ code })));

/** Debugs the stored history with a change, as a file. */
async function debugged(change: (events: Event[]) => void) {
  const history = JSON.parse(readFileSync(path, 'utf8')) as { events: Event[] };
  change(history.events);
  const file = join(tmpdir(), `longhand-debug-${process.pid}.json`);
  writeFileSync(file, JSON.stringify(history));
  const { code, out } = await runDebug(file, true);
  return { code, ...(JSON.parse(out) as { breaks: { eventId: number } | null; altered: string | null }) };
}

/** The ids of events depend on how the server delivered results: they are looked up. */
const stored = (JSON.parse(readFileSync(path, 'utf8')) as { events: Event[] }).events;

const isCallOf = (id: string) => (event: Event) => event.activityTaskScheduledEventAttributes?.activityId === id;
const idOf = ({ eventId }: Event) => Number(eventId);
const at = (events: readonly Event[], is: (event: Event) => boolean) => {
  const found = events.find(is);
  if (found === undefined) throw new Error('There is no such event.');
  return found;
};

describe('debug', () => {
  it('reports that a valid history replays', async () => {
    const { code, out } = await runDebug(path, false);
    expect(code).toBe(0);
    expect(out).toContain(`: the workflow replays all ${stored.length} events of its history\n`);
  });

  it('reports the event at which a call differs', async () => {
    const { code, breaks } = await debugged((events) => {
      Object.assign(at(events, isCallOf('2.1')).activityTaskScheduledEventAttributes ?? {}, { activityId: '2.7' });
    });
    expect(code).toBe(1);
    expect(breaks).toEqual({
      eventId: idOf(at(stored, isCallOf('2.1'))),
      recorded: 'shaky is scheduled (2.7)',
      now: 'call shaky (2.1)',
      message:
        "Nondeterminism error: Activity id of scheduled event '2.7' does not match activity id of activity command '2.1'",
    });
  });

  it('reports the event at which a tool differs', async () => {
    const { breaks } = await debugged((events) => {
      Object.assign(at(events, isCallOf('1.3')).activityTaskScheduledEventAttributes ?? {}, {
        activityType: { name: 'shout' },
      });
    });
    expect(breaks).toMatchObject({ eventId: idOf(at(stored, isCallOf('1.3'))), recorded: 'shout is scheduled (1.3)' });
  });

  it('reports the event at which the workflow ended differently', async () => {
    const { breaks } = await debugged((events) => {
      const end = at(events, (event) => event.workflowExecutionCompletedEventAttributes !== undefined);
      const { workflowTaskCompletedEventId } = end.workflowExecutionCompletedEventAttributes as Attributes;
      const { workflowExecutionCompletedEventAttributes: _, ...rest } = end;
      events[events.length - 1] = {
        ...rest,
        eventType: 'EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED',
        workflowExecutionCanceledEventAttributes: { workflowTaskCompletedEventId },
      } as unknown as Event;
    });
    expect(breaks).toMatchObject({ eventId: stored.length, recorded: 'workflowExecutionCanceled', now: 'end' });
  });

  it('distinguishes altered facts from changed code', async () => {
    const { code, breaks, altered } = await debugged((events) => {
      const { eventId } = at(events, isCallOf('1.1'));
      const endsIt = (event: Event) => event.activityTaskCompletedEventAttributes?.scheduledEventId === eventId;
      const ended = at(events, endsIt).activityTaskCompletedEventAttributes as {
        result: { payloads: { data: string }[] };
      };
      const [payload] = ended.result.payloads;
      if (payload === undefined) throw new Error('The call gave nothing back.');
      const text = Buffer.from(payload.data, 'base64').toString().replace('one', 'two');
      payload.data = Buffer.from(text).toString('base64');
    });
    expect(code).toBe(1);
    expect(breaks).toBeNull();
    expect(altered).toContain('differ before model-2');
  });

  it('reports code that fails in a workflow task as a difference', async () => {
    const failing = async () => ({ code: code.replaceAll('takeTurn)(', 'noSuchTurn)(') });
    const { out } = await printed((terminal) => debugChain(terminal, path, { json: true }, failing));
    expect(JSON.parse(out).breaks).toMatchObject({ eventId: 5, message: expect.stringContaining('is not a function') });
  });

  it('throws an error that prevents the replay', async () => {
    const missing = async () => ({ codePath: '/nowhere/bundle.js' });
    await expect(printed((terminal) => debugChain(terminal, path, { json: true }, missing))).rejects.toThrow('ENOENT');
  });

  it('rejects a file of facts', async () => {
    const chain = new URL('../exports/parallel-tools.chain.json', recorded).pathname;
    await expect(runDebug(chain, false)).rejects.toThrow(
      matchError('invalid_chain_file', 'it has facts, but no history'),
    );
  });
});
