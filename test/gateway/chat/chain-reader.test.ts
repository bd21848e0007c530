/** Events of a chain as parts of a chat: tokens become the answer or are taken back, and everything is shown once. */

import { describe, expect, it } from 'vitest';
import type { StepView } from '../../../src/core/view/reasoning-view.js';
import { ChainReader, type ReadableEvent } from '../../../src/gateway/chat/chain-reader.js';
import type { ChatPart } from '../../../src/gateway/chat/chat-part.js';

const state = 'thinking';
const changed = (step: object): ReadableEvent => ({
  type: 'step-changed',
  step: step as StepView,
  state,
  progress: [],
});
const token = (step: number, text: string, more: { call?: string; missing?: number } = {}): ReadableEvent => ({
  ...{ type: 'token', step, call: 'model-1', text, missing: 0 },
  ...more,
});

const thought = (number: number, text: string) =>
  changed({ level: 'full', kind: 'thinking', id: `${number}`, number, at: 0, thought: text, problem: null });
const answered = (number: number, conclusion: string) =>
  changed({ level: 'full', kind: 'synthesis', id: `${number}a`, number, at: 0, conclusion });
const called = (id: string, input: object = {}) =>
  changed({
    level: 'full',
    kind: 'tool_call',
    id,
    number: Number.parseInt(id, 10),
    at: 0,
    tool: 'look',
    input,
    status: 'pending',
  });
const returned = (call: string, status: string, observation: string | null) =>
  changed({
    ...{ level: 'full', kind: 'tool_result', id: `${call}r`, number: Number.parseInt(call, 10), at: 0, tool: 'look' },
    ...{ correlationId: call, status, observation },
  });
const asked = (call: string, status: string, decisions: readonly object[] = []) =>
  changed({
    ...{ level: 'full', kind: 'approval', id: `${call}p1`, number: 1, at: 0, correlationId: call, tool: 'look' },
    ...{ request: 'approval', reason: 'Why', status, digest: 'abcdef12', input: {}, onExpiry: 'deny', decisions },
  });

function readAll(...events: readonly ReadableEvent[]): readonly ChatPart[] {
  const reader = new ChainReader();
  return events.flatMap((event) => reader.read(event));
}

const listTypes = (parts: readonly ChatPart[]) => parts.map(({ type }) => type);
const long = 'The weather in Paris is fine today.';

describe('tokens', () => {
  it('of an answer are confirmed, and only the rest is added', () => {
    const parts = readAll(token(1, 'The weather '), token(1, 'in Paris '), answered(1, long));
    expect(listTypes(parts)).toEqual([
      'step-started',
      'draft-started',
      'draft-added',
      'draft-added',
      'draft-confirmed',
    ]);
    expect(parts.at(-1)).toMatchObject({ as: 'answer', rest: 'is fine today.' });
  });

  it('of a text before a call are confirmed as its thought', () => {
    const parts = readAll(token(1, long), thought(1, long), called('1.1'));
    expect(listTypes(parts)).toEqual(['step-started', 'draft-started', 'draft-added', 'draft-confirmed', 'call']);
    expect(parts[3]).toMatchObject({ as: 'thought', text: long, rest: '' });
  });

  it('are taken back when another model call sends some, when some are missing, and when the step is another text', () => {
    const retried = readAll(token(1, 'Wrong and wrong.'), token(1, long, { call: 'model-2' }), answered(1, long));
    expect(listTypes(retried).filter((type) => type.startsWith('draft'))).toEqual([
      ...['draft-started', 'draft-added', 'draft-discarded', 'draft-started', 'draft-added', 'draft-confirmed'],
    ]);
    const gap = readAll(token(1, long), token(1, 'more', { missing: 3 }), token(1, 'even more'), answered(1, long));
    expect(listTypes(gap)).toEqual(['step-started', 'draft-started', 'draft-added', 'draft-discarded', 'answer']);
    expect(listTypes(readAll(token(1, long), answered(1, 'Another one.')))).toEqual([
      ...['step-started', 'draft-started', 'draft-added', 'draft-discarded', 'answer'],
    ]);
  });

  it('of a text protocol are marked, and never confirmed as they are', () => {
    const raw = 'Thought: I know it. Final answer: fine.';
    const parts = readAll(
      token(1, raw.slice(0, 5)),
      token(1, raw.slice(5)),
      thought(1, 'I know it.'),
      answered(1, 'fine.'),
    );
    expect(parts).toMatchObject([
      { type: 'step-started' },
      { type: 'draft-started', raw: true },
      { type: 'draft-added', text: raw },
      { type: 'draft-discarded' },
      { type: 'thought', text: 'I know it.' },
      { type: 'answer', text: 'fine.' },
    ]);
  });

  it('that are too few to be recognised wait for the step', () => {
    expect(listTypes(readAll(token(1, 'Yes.'), answered(1, 'Yes.')))).toEqual(['step-started', 'answer']);
  });
});

describe('a call', () => {
  it('is shown once, again when its arguments change, and has one result', () => {
    const events = [called('1.1'), called('1.1'), called('1.1', { place: 'Rome' }), returned('1.1', 'ok', 'x')];
    const parts = readAll(...events, returned('1.1', 'ok', 'x'));
    expect(listTypes(parts)).toEqual(['step-started', 'call', 'call', 'result']);
  });

  it('that a person denied after a request is denied; one without a request failed', () => {
    const [denied] = readAll(
      called('1.1'),
      asked('1.1', 'waiting'),
      asked('1.1', 'denied'),
      returned('1.1', 'denied', 'No'),
    ).slice(-1);
    expect(denied).toMatchObject({ type: 'result', denied: true });
    expect(readAll(called('1.1'), returned('1.1', 'denied', 'No')).at(-1)).toMatchObject({ denied: false });
  });

  it('whose result is hidden has one without content', () => {
    const hidden = changed({ level: 'hidden', kind: 'tool_result', id: '1.1r', number: 1 });
    expect(readAll(called('1.1'), hidden).at(-1)).toMatchObject({ type: 'result', call: '1.1', observation: null });
    expect(readAll(hidden)).toEqual([]);
  });
});

describe('a request', () => {
  it('waits until it is decided, by the kind of its decision', () => {
    const reader = new ChainReader();
    const read = (event: ReadableEvent) => reader.read(event);
    read(called('1.1'));
    expect(read(asked('1.1', 'waiting'))).toEqual([]);
    expect(reader.listWaiting()).toMatchObject([{ call: '1.1', digest: 'abcdef12' }]);
    expect(read(asked('1.1', 'expired'))).toMatchObject([{ type: 'decided', approved: false }]);
    expect(reader.listWaiting()).toEqual([]);
    expect(read(asked('1.1', 'expired'))).toEqual([]);
  });
});

describe('a step', () => {
  it('ends when the next one begins, and a late result does not begin it again', () => {
    const parts = readAll(called('1.1'), called('2.1'), returned('1.1', 'ok', 'x'), returned('2.1', 'ok', 'y'));
    expect(listTypes(parts)).toEqual([
      'step-started',
      'call',
      'step-finished',
      'step-started',
      'call',
      'result',
      'result',
    ]);
  });
});
