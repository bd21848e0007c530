/** Lines of arguments checked by JSON Schemas, as a program would send them. */

import { describe, expect, it } from 'vitest';
import { checkLines } from '../../../src/cli/tools/check.js';
import { longhand } from '../../support/command.js';
import { longhandHere } from '../../support/command-here.js';

async function check(lines: Iterable<string>) {
  const written: string[] = [];
  async function* input() {
    for (const line of lines) yield `${line}\n`;
  }
  const code = await checkLines({ input: input(), write: (text) => void written.push(text), drain: async () => {} });
  return { code, answers: written.map((line) => JSON.parse(line)) };
}

const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

describe('longhand tools check', () => {
  it('answers line by line, in order, in a process of its own', async () => {
    const { process: child, end } = longhand(['tools', 'check', '--jsonl']);
    child.stdin.write(`${JSON.stringify({ id: 1, schema: city, args: { city: 'Paris' } })}\n`);
    const first = await new Promise((resolve) => child.stdout.once('data', (data) => resolve(String(data))));
    expect(first).toBe('{"id":1,"valid":true,"errors":[]}\n');
    child.stdin.end(`${JSON.stringify({ id: 'b', schema: city, args: { city: 1 } })}\nnonsense\n`);
    const { code, stdout } = await end;
    expect(stdout.split('\n').slice(1)).toEqual([
      '{"id":"b","valid":false,"errors":["city: must be of type string."]}',
      '{"id":null,"valid":false,"errors":["Line 3 is no check: it is not JSON."]}',
      '',
    ]);
    expect(code).toBe(1);
  });

  it('exits with 0 where arguments are invalid or a schema cannot be used', async () => {
    const { code, answers } = await check(
      [
        { id: 1, schema: city, args: {} },
        { id: 2, schema: { $ref: '#/$defs/nope' }, args: {} },
        { id: 3, schema: 'object', args: {} },
        { id: 4, schema: { allOf: [{ $ref: '#' }] }, args: {} },
        { id: 5, schema: true, args: null },
        { id: 6, schema: false, args: {} },
        { schema: city, args: { city: '' } },
      ].map((line) => JSON.stringify(line)),
    );
    expect(code).toBe(0);
    expect(answers).toEqual([
      { id: 1, valid: false, errors: ['city is missing.'] },
      {
        id: 2,
        valid: false,
        errors: ['The schema cannot be used: $ref "#/$defs/nope" has no target within the schema.'],
      },
      { id: 3, valid: false, errors: ['The schema cannot be used: it is neither an object nor a boolean.'] },
      { id: 4, valid: false, errors: ['The schema cannot be used: $ref "#" refers to itself.'] },
      { id: 5, valid: true, errors: [] },
      { id: 6, valid: false, errors: [expect.any(String)] },
      { id: null, valid: true, errors: [] },
    ]);
  });

  it('continues after lines that are no checks, and exits with 1', async () => {
    const { code, answers } = await check([
      '{',
      '',
      '5',
      '{"id":7,"args":{}}',
      '{"id":8,"schema":true}',
      '{"id":9,"schema":true,"args":1}',
    ]);
    expect(code).toBe(1);
    expect(answers.map(({ id, valid, errors }) => [id, valid, errors[0]])).toEqual([
      [null, false, 'Line 1 is no check: it is not JSON.'],
      [null, false, 'Line 3 is no check: it is not a JSON object.'],
      [7, false, 'Line 4 is no check: "schema" is missing.'],
      [8, false, 'Line 5 is no check: "args" is missing.'],
      [9, true, undefined],
    ]);
  });

  it('reads no further than its answers are read', async () => {
    const line = JSON.stringify({ id: 1, schema: city, args: { city: 'Paris' } });
    let read = 0;
    async function* input() {
      for (; read < 5_000; read++) yield `${line}\n`;
    }
    let release = () => {};
    const drained = new Promise<void>((resolve) => {
      release = resolve;
    });
    let waiting = () => {};
    const isWaiting = new Promise<void>((resolve) => {
      waiting = resolve;
    });
    const drain = () => {
      waiting();
      return drained;
    };
    const checked = checkLines({ input: input(), write: () => {}, drain });
    await isWaiting;
    expect(read).toBeLessThanOrEqual(1_001);
    release();
    expect(await checked).toBe(0);
    expect(read).toBe(5_000);
  });

  it('needs --jsonl, and its help has the exit codes', async () => {
    expect(await longhandHere(['tools', 'check'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--jsonl'),
    });
    const { stdout } = await longhandHere(['tools', 'check', '--help']);
    expect(stdout).toContain('Exit code: 0 if all lines were checks, valid or not; 1 if a line was not.');
  });
});
