/** The log of a hub: bounded, and without frames that later ones replace. */

import { describe, expect, it } from 'vitest';
import type { WatchEvent } from '../../../src/client/follow/event.js';
import { eventFormat } from '../../../src/gateway/streams/event-frames.js';
import { isRecorded } from '../../../src/gateway/streams/frame.js';
import { FrameLog } from '../../../src/gateway/streams/frame-log.js';
import { toRunPosition } from '../../../src/gateway/streams/hub.js';

const at = (eventId: number, runId = '0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b') => ({
  ...{ chainId: 'c', runId, eventId, item: 0 },
});

const step = (eventId: number, number: number): WatchEvent => ({
  ...at(eventId),
  type: 'step-changed',
  step: { level: 'hidden', id: `${number}`, number, kind: 'thinking' },
  ...{ state: 'thinking', progress: [] },
});

const token = (number: number, call: string, text: string): WatchEvent => ({
  ...at(0),
  type: 'token',
  ...{ step: number, call, text, missing: 0 },
});

const interim = (call: string, value: string | null): WatchEvent => ({
  ...at(0),
  type: 'interim-result',
  ...{ step: 1, call, tool: 't', attempt: 1 },
  interim: value === null ? null : { value },
});

function createLog(limit = 1_000_000) {
  const log = new FrameLog(() => limit);
  const format = eventFormat.create();
  const add = (...events: readonly WatchEvent[]) => {
    for (const event of events) log.append(format(event), isRecorded(event) ? toRunPosition(event) : null);
  };
  const read = (): readonly string[] => {
    const found: string[] = [];
    for (let next = log.findAfter(-1); next !== null; next = log.findAfter(next.sequence)) {
      const [, data = ''] = /data: (.*)/.exec(new TextDecoder().decode(next.bytes)) ?? [];
      const { type, text, step, interim } = JSON.parse(data);
      found.push(`${type} ${text ?? interim?.value ?? step?.number ?? null}`);
    }
    return found;
  };
  return { log, add, read };
}

describe('a log', () => {
  it('drops the tokens of a step when it arrives, and of a call that another one replaced', () => {
    const { add, read } = createLog();
    add(step(4, 1), token(2, 'model-2', 'a'), token(2, 'model-2', 'b'));
    expect(read()).toEqual(['step-changed 1', 'token a', 'token b']);
    add(token(2, 'model-2b', 'c'));
    expect(read()).toEqual(['step-changed 1', 'token c']);
    add(step(8, 2));
    expect(read()).toEqual(['step-changed 1', 'step-changed 2']);
  });

  it('keeps the newest interim result of each call', () => {
    const { add, read } = createLog();
    add(interim('1.1', 'a'), interim('1.2', 'b'), interim('1.1', 'c'));
    expect(read()).toEqual(['interim-result b', 'interim-result c']);
    add(interim('1.2', null));
    expect(read()).toEqual(['interim-result c', 'interim-result null']);
  });

  it('is bounded, but always keeps the newest frame', () => {
    const { add, read, log } = createLog(500);
    add(...Array.from({ length: 50 }, (_, n) => step(n * 4, n)));
    expect(read().length).toBeLessThan(4);
    expect(read().at(-1)).toBe('step-changed 49');
    expect(log.locate(null)).toEqual({ kind: 'evicted' });
    expect(log.locate(at(4))).toEqual({ kind: 'evicted' });
    expect(log.locate(at(49 * 4)).kind).toBe('kept');
    expect(log.locate(at(50 * 4))).toEqual({ kind: 'ahead' });
    expect(log.locate(at(4, '0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5f'))).toEqual({ kind: 'ahead' });
  });
});
