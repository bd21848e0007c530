/** `longhand preferences`: the switches of a user, and the views that apply them. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { exportChain } from '../../../src/cli/chain/export.js';
import { type ShowFlags, showChain } from '../../../src/cli/chain/show.js';
import { watchChain } from '../../../src/cli/chain/watch.js';
import { type PreferenceFlags, setPreferences, showPreferences } from '../../../src/cli/preferences/preferences.js';
import { printed } from '../../support/printed.js';
import { storedFile } from '../../support/stored-chain.js';
import { type Fresh, freshFile } from '../../support/stores.js';

let fresh: Fresh;
beforeEach(async () => {
  fresh = await freshFile();
  vi.stubEnv('LONGHAND_STORE', fresh.where);
  vi.stubEnv('TEMPORAL_NAMESPACE', '');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await fresh.remove();
});

const ana: PreferenceFlags = { user: 'ana' };
const set = (switches: readonly string[], flags = ana) =>
  printed((terminal) => setPreferences(terminal, switches, flags));
const file = storedFile('parallel-tools');

async function listShownKinds(flags: ShowFlags): Promise<readonly string[]> {
  const { out } = await printed((terminal) => showChain(terminal, file, { as: 'end_user', json: true, ...flags }));
  const { steps } = JSON.parse(out) as { readonly steps: readonly { readonly kind: string; readonly level: string }[] };
  return [...new Set(steps.filter(({ level }) => level !== 'hidden').map(({ kind }) => kind))];
}

it('sets some switches of a user, and shows all five', async () => {
  await set(['thinking=off']);
  const { out } = await set(['externalCalls=off', 'finalReasoning=on']);
  expect(out).toBe(
    [
      'PREFERENCE       VALUE',
      'progressSummary  on',
      'thinking         off',
      'externalCalls    off',
      'internalCalls    on',
      'finalReasoning   on\n',
    ].join('\n'),
  );
  expect(await printed((terminal) => showPreferences(terminal, ana))).toMatchObject({ out });
  const other = await printed((terminal) => showPreferences(terminal, { ...ana, tenant: 'acme', json: true }));
  expect(JSON.parse(other.out)).toMatchObject({ thinking: true, externalCalls: true });
});

it.each([
  [['thinkin=off'], 'There is no switch thinkin. You may mean thinking.'],
  [['thinking=no'], 'Invalid switch "thinking=no". Write thinking=off or thinking=on.'],
])('rejects %j and stores nothing', async (switches, message) => {
  await expect(set(['finalReasoning=off', ...switches])).rejects.toThrow(message);
  expect((await printed((terminal) => showPreferences(terminal, ana))).out).not.toContain('off');
});

it('applies the stored switches of a user to each view that is made for that user', async () => {
  await set(['thinking=off', 'externalCalls=off']);
  expect(await listShownKinds({})).toEqual(expect.arrayContaining(['thinking', 'tool_call', 'synthesis']));
  expect(await listShownKinds({ user: 'bob' })).toContain('thinking');
  expect((await listShownKinds({ user: 'ana' })).filter((kind) => kind !== 'notice')).toEqual(['synthesis']);
  const viewer = { as: 'end_user', user: 'ana' };
  const watched = await printed((terminal) => watchChain(terminal, file, { ...viewer, json: true }));
  expect(watched.out).not.toContain('"level":"summary"');
  const report = (user: string) =>
    printed((terminal) => exportChain(terminal, file, { as: 'end_user', format: 'markdown', user }));
  expect((await report('ana')).out.length).toBeLessThan((await report('bob')).out.length);
});

it('shows a viewer of another tenant no text', async () => {
  expect(await listShownKinds({ user: 'ana', tenant: 'other' })).toEqual([]);
});
