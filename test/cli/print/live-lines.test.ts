/** The lines of running calls: replaced in place in a terminal, absent in a pipe. */

import { EventEmitter } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { ChainPrinter, type WatchItem } from '../../../src/cli/print/chain-printer.js';
import { createLiveLines } from '../../../src/cli/print/live-lines.js';
import type { Json } from '../../../src/index.js';
import { result } from '../../support/some-reasoning.js';

beforeEach(() => {
  process.env.TERM = 'xterm';
});

function open(isTTY: boolean) {
  const written: string[] = [];
  const write = (text: string) => written.push(text) > 0;
  const stream = Object.assign(new EventEmitter(), { isTTY, columns: 60, rows: 10, write });
  const lines = createLiveLines({ write, width: 60 }, stream as unknown as NodeJS.WriteStream);
  const printer = new ChainPrinter({ color: false, width: 60 });
  return {
    ...lines,
    show: (event: WatchItem) => lines.show(event, printer.print(event)),
    taken: () => stripVTControlCharacters(written.splice(0).join('')),
  };
}

const interim = (value: Json, call = '1.1'): WatchItem => ({
  ...{ type: 'interim-result', step: 1, call, tool: 'count', attempt: 1 },
  interim: { value },
});
const ended: WatchItem = {
  type: 'step-changed',
  step: { ...result('1.1', 'count', '3 rows'), level: 'full', redacted: 0 },
  state: 'tool_calling',
  progress: [],
};

describe('the line of a running call', () => {
  it('is replaced by the next interim result, and by its result', () => {
    const { show, taken } = open(true);
    show(interim('1 of 3'));
    expect(taken()).toContain('⋯ count  1 of 3');
    show(interim({ counted: 2 }, '1.2'));
    expect(taken()).toContain('⋯ count  {"counted":2}');
    show(ended);
    const text = taken();
    expect(text).toContain('→ 3 rows');
    expect(text.slice(text.indexOf('→ 3 rows'))).not.toContain('1 of 3');
    expect(text.slice(text.indexOf('→ 3 rows'))).toContain('{"counted":2}');
  });

  it('is a bar that is replaced, where the tool emits progress', () => {
    const { show, taken } = open(true);
    show(interim({ progress: 1, total: 4 }));
    expect(taken()).toContain('⋯ count  ███░░░░░░░  25 % · 1 of 4');
    show(interim({ progress: 3, total: 4 }));
    const text = taken();
    expect(text).toContain('⋯ count  ████████░░  75 % · 3 of 4');
    expect(text).not.toContain('25 %');
  });

  it('is one row, of a text the last line, without control characters', () => {
    const { show, taken } = open(true);
    show(interim(`first\n\u001b[2Jlast ${'x'.repeat(500)}\n\n`));
    expect(taken().trimEnd()).toMatch(/^ {2}⋯ count {2}last x+…$/);
    show(interim({ output: 'one\ntwo\n' }));
    expect(taken()).toContain('⋯ count  two');
  });

  it('disappears when its attempt ends, and is below tokens', () => {
    const { show, taken } = open(true);
    show(interim('1 of 3'));
    taken();
    show({ ...interim(''), interim: null } as WatchItem);
    expect(taken()).not.toContain('count');
    show({ type: 'token', step: 2, call: 'model-2', text: 'It rains', missing: 0 });
    taken();
    show(interim('late'));
    expect(taken()).toContain('late');
  });

  it('is not printed in a pipe', () => {
    const { show, taken } = open(false);
    show(interim('1 of 3'));
    show(interim({ progress: 2, total: 3 }));
    show(ended);
    expect(taken()).not.toMatch(/of 3|█/);
  });
});

describe('the tokens of a reply', () => {
  const token = (call: string, text: string): WatchItem => ({ type: 'token', step: 1, call, text, missing: 0 });

  it('are replaced by their step in a terminal, without a fragment above it', () => {
    const { show, taken } = open(true);
    show(token('model-1', 'It rains in Par'));
    expect(taken()).toContain('  It rains in Par');
    show(token('model-1', 'is, as I'));
    taken();
    show(ended);
    const text = taken();
    expect(text).toContain('→ 3 rows');
    expect(text).not.toContain('as I');
  });

  it('start over when the next attempt streams', () => {
    const { show, taken } = open(true);
    show(token('model-1', 'I will ask'));
    taken();
    show(token('model-2', 'I am asking'));
    show(token('model-2', ' now'));
    expect(taken()).not.toContain('I will ask');
  });

  it('end with a mark in a pipe, on a line of their own for each attempt', () => {
    const { show, taken } = open(false);
    for (const [call, text] of [
      ['model-1', 'I will '],
      ['model-1', 'ask'],
      ['model-2', 'I am asking'],
    ] as const)
      show(token(call, text));
    show(ended);
    expect(taken()).toMatch(/^ {2}I will ask …\n {2}I am asking …\n/);
  });
});
