/** Modules of agents: an invalid module is rejected with a usage error. */

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { formatNoAgents, loadDefinitions } from '../../../src/cli/run/load-definitions.js';
import { matchError } from '../../support/match-error.js';

const folder = mkdtempSync(join(tmpdir(), 'longhand-modules-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function module(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const agent = (name: string) => `{ definition: {}, name: '${name}', validateCall: () => null }`;

it('a missing module is reported with the path of an example that exists', () => {
  const [, path = ''] = /as in (\S+),/.exec(formatNoAgents()) ?? [];
  expect(existsSync(path)).toBe(true);
});

describe('loadDefinitions', () => {
  it.each([
    ['syntax.mjs', 'export const a = {;', 'does not load'],
    ['missing.mjs', "import './nowhere.mjs';", 'does not load: Cannot find module'],
    ['throws.mjs', "throw new Error('Agent x has no model.');", 'does not load: Agent x has no model.'],
    ['none.mjs', 'export const a = 1;', 'exports no agent'],
    [
      'approvals.mjs',
      `export const a = ${agent('x')}; export const approvals = { platform: { pay: 'yes' } };`,
      'approvals.mjs: approvals.platform.pay must be true',
    ],
    [
      'secrets.mjs',
      `export const a = ${agent('x')}; export const secrets = { KEY: 'k' };`,
      'secrets.mjs: it must be an object with `get(name, { tenant })`',
    ],
    ['two.mjs', `export const a = ${agent('x')}; export const b = ${agent('x')};`, 'exports two agents named x'],
  ])('rejects %s', async (name, text, message) => {
    await expect(loadDefinitions(module(name, text))).rejects.toThrow(matchError('usage', message));
  });

  it('rejects a folder', async () => {
    mkdirSync(join(folder, 'agents.ts'));
    await expect(loadDefinitions(join(folder, 'agents.ts'))).rejects.toThrow(matchError('usage', 'is a folder'));
  });

  it('returns the approvals of the module', async () => {
    const approvals = `export const approvals = { platform: { pay: true } };`;
    const defined = await loadDefinitions(module('strict.mjs', `export const a = ${agent('x')}; ${approvals}`));
    expect(defined.approvals).toEqual({ platform: { pay: true } });
  });

  it('returns the secret provider of the module', async () => {
    const secrets = `export const secrets = { get: (name) => name };`;
    const defined = await loadDefinitions(module('kept.mjs', `export const a = ${agent('x')}; ${secrets}`));
    expect(defined.secrets?.get('KEY', { tenant: null })).toBe('KEY');
  });

  it('returns an agent that is exported twice only once', async () => {
    const { agents } = await loadDefinitions(module('twice.mjs', `export const a = ${agent('x')}; export default a;`));
    expect(agents.map(({ name }) => name)).toEqual(['x']);
  });
});
