import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type ParseOptions, parseInput } from '../../src/cli/parse.js';

async function run(input: string | readonly (string | Buffer)[], options: Partial<ParseOptions> = {}) {
  const lines: string[] = [];
  const chunks = typeof input === 'string' ? [input] : input;
  const code = await parseInput(
    { strategy: 'react', requireThought: true, jsonl: false, ...options },
    { input: Readable.from(chunks), write: (line) => lines.push(line) },
  );
  return { code, lines };
}

const action = 'Thought: I need the weather.\nAction: get_weather\nAction Input: Paris';

describe('longhand parse', () => {
  it('prints the parsed reply', async () => {
    const { code, lines } = await run(action);
    expect(code).toBe(0);
    expect(lines).toEqual([
      '{"thought":"I need the weather.","calls":[{"tool":"get_weather","input":{"input":"Paris"}}],"answer":null,"problem":null,"final":false}',
    ]);
  });

  it('prints whether the reply is final: it has an answer, and no problem', async () => {
    const isFinal = async (reply: string) => JSON.parse((await run(reply)).lines[0] ?? '').final;
    expect(await isFinal('Final Answer: 18 °C')).toBe(true);
    expect(await isFinal('Thought: I know it.\nFinal Answer: 18 °C')).toBe(true);
    expect(await isFinal(action)).toBe(false);
    expect(await isFinal('I know it.')).toBe(false);
  });

  it('parses a text as the answer for strategies with native tool use', async () => {
    for (const strategy of ['tools', 'autonomous'] as const) {
      const { lines } = await run('Hello.', { strategy });
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({ calls: [], answer: 'Hello.', problem: null });
    }
  });

  it('reads replies without thoughts with --no-require-thought, the option of react', async () => {
    const bare = 'Action: get_weather\nAction Input: {"city": "Paris"}';
    const parsed = async (requireThought: boolean) => JSON.parse((await run(bare, { requireThought })).lines[0] ?? '');
    expect(await parsed(true)).toMatchObject({ calls: [], problem: expect.stringContaining('thought is missing') });
    expect(await parsed(false)).toEqual({
      thought: null,
      calls: [{ tool: 'get_weather', input: { city: 'Paris' } }],
      answer: null,
      problem: null,
      final: false,
    });
    await expect(run(bare, { strategy: 'tools', requireThought: false })).rejects.toThrow(
      '--no-require-thought is an option of the strategy react; tools never requires a thought.',
    );
  });

  it('decodes characters that are split between chunks', async () => {
    const bytes = Buffer.from('Final Answer: 巴黎');
    const { lines } = await run([bytes.subarray(0, 15), bytes.subarray(15)]);
    expect(JSON.parse(lines[0] ?? '').answer).toBe('巴黎');
  });
});

describe('longhand parse --jsonl', () => {
  const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

  it('prints one result per line, id first', async () => {
    const records = [
      { id: 'a', text: 'Final Answer: x' },
      { id: 2, text: action, tools: ['get_weather'] },
      { text: action, tools: [{ name: 'get_weather', inputSchema: city }] },
      {
        id: 4,
        text: action,
        tools: [{ name: 'get_weather', parameters: { city: { type: 'string', required: true } } }],
      },
      { id: 5, text: action, tools: [{ name: 'get_weather', description: 'Its weather', input_schema: city }] },
    ];
    const input = `${records.map((record) => JSON.stringify(record)).join('\n')}\n\n`;
    const { code, lines } = await run([input.slice(0, 50), input.slice(50)], { jsonl: true });
    expect(code).toBe(0);
    expect(lines[0]).toBe('{"id":"a","thought":null,"calls":[],"answer":"x","problem":null,"final":true}');
    expect(lines.slice(1).map((line) => [JSON.parse(line).id, JSON.parse(line).calls[0].input])).toEqual([
      [2, { input: 'Paris' }],
      [null, { city: 'Paris' }],
      [4, { city: 'Paris' }],
      [5, { city: 'Paris' }],
    ]);
  });

  it.each([
    ['{"id": 1', 'it is not JSON'],
    ['[1]', 'it is not a JSON object'],
    ['{"id": 1}', '"text" must be'],
    ['{"text": "x", "tools": "y"}', '"tools" must be'],
    ['{"text": "x", "tools": [1]}', 'each of "tools"'],
    ['{"text": "x", "tools": [{"name": "y", "input_schema": 1}]}', 'each of "tools"'],
    ['{"text": "x", "tools": [{"name": "y", "schema": {}}]}', 'unknown member "schema" of the tool y'],
    ['{"text": "x", "tool": []}', 'unknown member "tool"'],
  ])('reports the invalid line: %s', async (line, problem) => {
    const { code, lines } = await run(`{"text": "Final Answer: x"}\n${line}\n`, { jsonl: true });
    expect(code).toBe(2);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain(`Line 2: ${problem}`);
  });
});
