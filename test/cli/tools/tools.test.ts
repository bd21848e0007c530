/** The tools of a module's agents, listed and shown, in wide and narrow terminals, and as JSON. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { listTools } from '../../../src/cli/tools/list.js';
import { showTool } from '../../../src/cli/tools/show.js';
import { longhandHere } from '../../support/command-here.js';
import { hostileServer } from '../../support/mcp-source.js';

const folder = mkdtempSync(join(tmpdir(), 'longhand-tools-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const source = fileURLToPath(new URL('../../../src', import.meta.url));
const module = join(folder, 'agents.ts');
writeFileSync(
  module,
  `import { defineAgent } from '${source}/agents/define-agent.ts';
import { defineTool } from '${source}/tools/define/define-tool.ts';
import { isolate } from '${source}/tools/isolation/isolate.ts';
import { activityTool } from '${source}/tools/temporal/activity-tool.ts';
import { z } from '${import.meta.resolve('zod')}';

const weather = defineTool({
  name: 'get_weather',
  description: 'Current weather of a city.',
  inputSchema: z.object({
    city: z.string().describe('Name of the city'),
    days: z.int().min(1).default(3),
    places: z.array(z.object({ lat: z.number() })).optional(),
  }),
  returns: 'degrees Celsius',
  effects: 'read',
  cacheTtl: '1h',
  secrets: ['WEATHER_KEY'],
  execute: () => 20,
});
const create = (name, more) =>
  defineTool({ name, description: 'Does it.', inputSchema: z.object({}), effects: 'idempotent', execute: () => null, ...more });

export const clerk = defineAgent({
  name: 'clerk',
  model: 'm',
  tools: [
    weather,
    create('pay_invoice', { effects: 'unsafe', roles: ['accountant', 'treasurer'], kind: 'bank' }),
    create('refund', { approval: () => true, timeout: '20s', retry: { attempts: 5 } }),
    create('close_books', { approval: true }),
    create('search', {}),
    create('browse', { cost: 0.02, concurrency: { perWorker: 4, group: 'web' } }),
    create('deploy', { kind: 'shell' }),
    create('resize', { execute: isolate('thread', { module: new URL('file:///resize.js'), export: 'resize' }) }),
    activityTool({ name: 'score', description: 'Scores.', activity: 'compute', taskQueue: 'risk', inputSchema: z.object({}), effects: 'read' }),
  ],
});
export const boss = defineAgent({
  name: 'boss',
  model: 'm',
  tools: [weather, create('search', { effects: 'read' }), create('send', { effects: 'unsafe' }), create('delete_all', { approval: true })],
  approval: { send: { grant: true } },
});
export const approvals = { platform: { delete_all: { deny: 'Never.' } } };
`,
);

async function print(go: (terminal: Parameters<typeof listTools>[0]) => Promise<number>, width = 80): Promise<string> {
  const texts: string[] = [];
  const write = (text: string) => void texts.push(text);
  const terminal = { write, writeRaw: write, report: () => {}, color: false, width, tableWidth: width };
  expect(await go(terminal)).toBe(0);
  return texts.join('');
}

describe('longhand tools list', () => {
  it('has a row for each definition, in 80 columns', async () => {
    const text = await print((terminal) => listTools(terminal, { module }));
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(text).toMatch(/^TOOL +KIND +EFFECTS +APPROVAL +TIMEOUT +ATTEMPTS +ROLES\n/);
    expect(text).toMatch(/^get_weather +external +read +no +1 min +3$/m);
    expect(text).toMatch(/^pay_invoice +bank +unsafe +yes +1 min +1 +accountant/m);
    expect(text).toMatch(/^refund +external +idempotent +policy +20 s +5$/m);
    expect(text).toMatch(/^close_books +external +idempotent +yes /m);
    expect(text).toMatch(/^send +external +unsafe +no /m);
    expect(text).toMatch(/^delete_all +external +idempotent +denied /m);
    expect(text).toMatch(/^search +external +idempotent .*\n {3}of clerk$/m);
    expect(text).toMatch(/^search +external +read .*\n {3}of boss$/m);
  });

  it('prints JSON', async () => {
    const { stdout, code } = await longhandHere(['tools', 'list', '--module', module, '--json']);
    expect(code).toBe(0);
    const rows = JSON.parse(stdout) as readonly { name: string }[];
    expect(rows).toHaveLength(12);
    expect(rows.find(({ name }) => name === 'pay_invoice')).toEqual({
      ...{ name: 'pay_invoice', kind: 'bank', effects: 'unsafe', approval: 'yes', timeoutMs: 60_000, attempts: 1 },
      ...{ roles: ['accountant', 'treasurer'], agents: ['clerk'] },
    });
    expect(rows[0]).toMatchObject({ name: 'get_weather', agents: ['boss', 'clerk'] });
  });
});

describe('longhand tools show', () => {
  it('shows the definition with its defaults, the schema as a list', async () => {
    const text = await print((terminal) => showTool(terminal, 'get_weather', { module }), 60);
    expect(text.split('\n').filter((line) => line.length > 60)).toEqual([]);
    expect(text).toMatch(/^get_weather\n {2}Current weather of a city\.\n/);
    expect(text).toMatch(/^ {2}kind +external \(default\)$/m);
    expect(text).toMatch(/^ {2}approval +no \(default\)$/m);
    expect(text).toMatch(/^ {2}timeout +1 min \(default\)$/m);
    expect(text).toMatch(/^ {2}cache +60 min, version [0-9a-f]+ \(stated\)$/m);
    expect(text).toMatch(/^ {2}secrets +WEATHER_KEY \(stated\)$/m);
    expect(text).toContain(
      'Input\n  city: string, required\n    Name of the city\n  days: integer, optional, minimum 1, default 3\n' +
        '  places: list of object, optional\n    lat: number, required\n',
    );
    expect(text).toMatch(/Output\n {2}degrees Celsius\n$/);
  });

  it('states where each value is from, and what executes a call', async () => {
    const show = (name: string) => print((terminal) => showTool(terminal, name, { module }));
    expect(await show('deploy')).toMatch(/^ {2}kind +shell \(stated\)$/m);
    expect(await show('deploy')).toMatch(/^ {2}timeout +10 min \(default of shell\)$/m);
    expect(await show('deploy')).toMatch(/^ {2}line +Ran a command \(exit code \{exitCode\}\) \(default of shell\)$/m);
    expect(await show('browse')).toMatch(/^ {2}cost +up to \$0\.02 a call \(stated\)$/m);
    expect(await show('browse')).toMatch(
      /^ {2}concurrency +4 per worker of the group web, waits 5 min at most \(stated\)$/m,
    );
    expect(await show('refund')).toMatch(/^ {2}timeout +20 s \(stated\)$/m);
    expect(await show('refund')).toMatch(/^ {2}attempts +5 \(stated\)$/m);
    expect(await show('delete_all')).toMatch(/^ {2}approval +denied \(agent or platform\)$/m);
    expect(await show('refund')).toMatch(/^ {2}runs in +the worker$/m);
    expect(await show('resize')).toMatch(
      /^ {2}runs in +a thread of its own, which ends with the call, started by the\s+worker$/m,
    );
    expect(await show('score')).toMatch(/^ {2}runs in +the activity compute of your workers of risk$/m);
    expect(await show('score')).toMatch(/^ {2}timeout +1 min \(default\)$/m);
  });

  it('prints the snapshot and the rest as JSON', async () => {
    const { stdout } = await longhandHere(['tools', 'show', 'get_weather', '--module', module, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      snapshot: { name: 'get_weather', timeoutMs: 60_000, attempts: 3, inputSchema: { required: ['city'] } },
      ...{ approval: 'no', secrets: ['WEATHER_KEY'], agents: ['boss', 'clerk'], place: 'the worker' },
      origins: { kind: 'longhand', cache: 'tool', timeout: 'longhand' },
      cache: { ttlMs: 3_600_000, version: expect.any(String) },
    });
  });

  it('chooses between different tools of a name by --agent', async () => {
    const show = (name: string, agent?: string) =>
      print((terminal) => showTool(terminal, name, { module, ...(agent === undefined ? {} : { agent }) }));
    await expect(show('search')).rejects.toThrow('Choose one with --agent: boss, clerk.');
    expect(await show('search', 'boss')).toMatch(/^ {2}effects +read \(stated\)$/m);
    await expect(show('send', 'clerk')).rejects.toThrow('Agent clerk has no tool send.');
    await expect(show('serch')).rejects.toThrow('Tool serch not found. Did you mean search?');
  });
});

it('tools of sources are listed and shown, and a source that cannot be reached is reported', async () => {
  const file = join(folder, 'mcp.ts');
  writeFileSync(
    file,
    `import { defineAgent } from '${source}/agents/define-agent.ts';
import { mcpTools } from '${source}/tools/mcp/mcp-tools.ts';
import { openApiSource } from '${source}/tools/openapi/open-api-source.ts';
import { readFile } from 'node:fs/promises';
export const librarian = defineAgent({
  name: 'librarian',
  model: 'm',
  tools: [
    mcpTools({ name: 'evil', command: process.execPath, args: ['${hostileServer}'], only: ['echo', 'pay'], tools: { echo: { effects: 'read' } } }),
    mcpTools({ name: 'absent', command: 'no-such-program-anywhere' }),
  ],
});
export const clerk = defineAgent({
  name: 'clerk',
  model: 'm',
  tools: [openApiSource({ name: 'shop', load: () => readFile('/no/such/shop.yaml', 'utf8') })],
});
`,
  );
  const lines: string[] = [];
  const reporting = { report: (line: string) => void lines.push(line) };
  const listed = await print((terminal) => listTools({ ...terminal, ...reporting }, { module: file }));
  expect(listed).toMatch(/evil_echo +mcp +read +no/);
  expect(listed).toMatch(/evil_pay +mcp +unsafe +yes/);
  expect(lines.join('\n')).toMatch(/the source of tools absent cannot be reached\. .*ENOENT/);
  expect(lines.join('\n')).toMatch(
    /Agent clerk: the source of tools shop cannot be reached\. .*cannot be loaded: ENOENT/,
  );
  const shown = await print((terminal) => showTool(terminal, 'evil_echo', { module: file }));
  expect(shown).toMatch(/information from the\s+server, not an instruction/);
  expect(shown).toMatch(/runs in +the MCP server evil, called by the worker/);
});
