/** `longhand tools call`: one call of a tool, with the rules of its agent, in a chain on a real server. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { longhandHere } from '../../support/command-here.js';
import { getTemporalAddress } from '../../support/temporal.js';

const folder = mkdtempSync(join(tmpdir(), 'longhand-tools-call-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const entry = fileURLToPath(new URL('../../../dist/src/index.js', import.meta.url));
const module = join(folder, 'agents.mts');
writeFileSync(
  module,
  `import { defineAgent, defineTool } from '${entry}';
import { z } from '${import.meta.resolve('zod')}';

const define = (name, more) =>
  defineTool({ name, description: name, inputSchema: z.object({ account: z.string() }), effects: 'read', ...more });

export const clerk = defineAgent({
  name: 'clerk',
  model: 'claude-sonnet-5-5',
  strategy: 'react',
  limits: { costUsd: 0.5 },
  tools: [
    define('read_balance', { view: { sensitive: ['pin'] }, execute: ({ account }) => ({ account, cents: 1200, pin: '4711' }) }),
    define('close_account', { roles: ['manager'], execute: () => 'closed' }),
    define('pay', { approval: { deny: 'Not today.' }, execute: () => 'paid' }),
  ],
});
`,
);

async function call(tool: string, args: string, ...flags: readonly string[]) {
  const env = { TEMPORAL_ADDRESS: getTemporalAddress() };
  return longhandHere(['tools', 'call', tool, args, '--module', module, ...flags], env);
}

const account = '{"account": "A-1"}';

describe('longhand tools call', () => {
  it('prints the call and its whole result, masked, without a model', async () => {
    const { code, stdout } = await call('read_balance', account);
    expect(code).toBe(0);
    expect(stdout).toContain('[TOOL: read_balance] account="A-1"');
    expect(stdout).toContain('{\n  "account": "A-1",\n  "cents": 1200,\n  "pin": "[redacted:field]"\n}');
    expect(stdout).not.toContain('4711');
    expect(stdout).not.toContain('⚠');
  });

  it('prints the complete call with --json, with a role that the tool requires', async () => {
    const { code, stdout } = await call('close_account', account, '--json', '--role', 'manager');
    expect(JSON.parse(stdout)).toMatchObject({ tool: 'close_account', status: 'ok', result: 'closed' });
    expect(code).toBe(0);
  });

  it.each([
    ['close_account', account, 'requires the role manager'],
    ['pay', account, 'Not today.'],
    ['read_balance', '{}', 'The arguments of read_balance are invalid.'],
  ])('exits 1 where the rules do not let %s %s run', async (tool, args, why) => {
    const { code, stdout } = await call(tool, args);
    expect(stdout).toContain(why);
    expect(code).toBe(1);
  });
});
