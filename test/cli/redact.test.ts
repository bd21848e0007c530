import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { redact } from '../../src/cli/redact.js';

async function run(input: string | readonly (string | Buffer)[], jsonl = false) {
  const written: string[] = [];
  const errors: string[] = [];
  const code = await redact(
    { jsonl },
    {
      input: Readable.from(typeof input === 'string' ? [input] : input),
      write: (text) => written.push(text),
      writeError: (line) => errors.push(line),
    },
  );
  return { code, errors, written, lines: written.join('').trim().split('\n') };
}

const jsonl = (records: readonly unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

describe('longhand redact', () => {
  it('masks a text and keeps every other character of it', async () => {
    const { code, written } = await run('To: a@x.com\r\n\r\nsee b@x.com, a@x.com  \n\n');
    expect(code).toBe(0);
    expect(written).toEqual(['To: [redacted:email]\r\n\r\nsee [redacted:email#2], [redacted:email]  \n\n']);
  });

  it('masks values that are split between chunks', async () => {
    const bytes = Buffer.from('écrivez à a@x.com');
    const { written } = await run([bytes.subarray(0, 1), bytes.subarray(1, 14), bytes.subarray(14)]);
    expect(written.join('')).toBe('écrivez à [redacted:email]');
  });
});

describe('longhand redact --jsonl', () => {
  it('prints one result per line, with separate numbering of marks', async () => {
    const { code, lines } = await run(
      jsonl([{ id: 'a', text: 'a@x.com, b@x.com' }, { id: 2, text: 'b@x.com', note: 'not given back' }, { text: '' }]),
      true,
    );
    expect(code).toBe(0);
    expect(lines).toEqual([
      '{"id":"a","text":"[redacted:email], [redacted:email#2]"}',
      '{"id":2,"text":"[redacted:email]"}',
      '{"id":null,"text":""}',
    ]);
  });

  it('masks the paths of an object, and secrets elsewhere in it', async () => {
    const object = { user: { ssn: 42, name: 'Jo' }, rows: [{ pin: '1' }, { pin: '2' }], note: 'a@x.com', n: 1 };
    const { lines } = await run(
      jsonl([
        { id: 1, object, paths: ['user.ssn', 'rows[*].pin', ['user', 'name']] },
        { id: 2, object: [] },
      ]),
      true,
    );
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        id: 1,
        object: {
          user: { ssn: '[redacted:field]', name: '[redacted:field#2]' },
          rows: [{ pin: '[redacted:field#3]' }, { pin: '[redacted:field#4]' }],
          note: '[redacted:email]',
          n: 1,
        },
      },
      { id: 2, object: [] },
    ]);
  });

  it.each(['a.b', '$.a.b', '.a.b', 'a[*]', 'a[]', '[*].b', '*.b', '$[*].b'])('accepts the path %s', async (path) => {
    const { code, lines } = await run(jsonl([{ id: 1, object: { a: { b: 1 } }, paths: [path] }]), true);
    expect(code).toBe(0);
    expect(lines[0]).toContain('redacted:field');
  });

  it('accepts values that are nested deeper than the stack', async () => {
    const deep = `${'['.repeat(20_000)}"a@x.com"${']'.repeat(20_000)}`;
    const { code, lines } = await run(`{"id":1,"object":${deep}}\n`, true);
    expect(code).toBe(0);
    expect(lines[0]).toContain('[["[redacted:email]"]]');
  });

  it.each([
    ['{"id":1,"text":', 'it is not JSON'],
    ['[1]', 'it is not a JSON object'],
    ['{"id":1}', '"text" must be a string'],
    ['{"id":1,"text":5}', '"text" must be a string'],
    ['{"id":1,"text":"x","object":{}}', 'it has both "text" and "object"'],
    ['{"id":1,"object":{},"paths":"a"}', '"paths" must be a list of paths'],
    ['{"id":1,"object":{},"paths":[1]}', '"paths" must be a list of paths'],
    ...['""', '"[]"', '[]', '"a..b"', '"rows[*"', '"rows[x].b"', '"a."', '"$."'].map((path) => [
      `{"id":1,"object":{"a":1},"paths":["a",${path}]}`,
      'path 2 of "paths" is invalid',
    ]),
  ])('stops at %s with the number of the line and the reason', async (line, why) => {
    const { code, lines, errors } = await run(`{"id":0,"text":"x"}\n\n${line}\n{"id":9,"text":"y"}\n`, true);
    expect(code).toBe(1);
    expect(lines).toEqual(['{"id":0,"text":"x"}']);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(`Line 3: ${why}`);
  });

  it('quotes no content of an invalid line', async () => {
    const { errors } = await run('password: hunter2\n', true);
    expect(errors.join()).not.toContain('hunter2');
  });
});
