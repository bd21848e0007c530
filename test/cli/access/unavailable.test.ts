/** Without a server, a command that reads chains prints one message: which server, which archive, and the fix. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore } from '../../../src/store/db/open.js';
import { longhandHere } from '../../support/command-here.js';

const folder = mkdtempSync(join(tmpdir(), 'longhand-unavailable-'));
const store = `sqlite:${join(folder, 'longhand.db')}`;
const env = { TEMPORAL_ADDRESS: '127.0.0.1:1', LONGHAND_STORE: store };

beforeAll(async () => (await openStore(store)).close());
afterAll(() => rmSync(folder, { recursive: true }));

it.each([['show'], ['explain'], ['watch'], ['export']])(
  'chain %s of a chain that the archive lacks fails within 2 seconds, with one message',
  async (command) => {
    const started = Date.now();
    const { code, stdout, stderr } = await longhandHere(['chain', command, 'box-1'], env);
    expect(Date.now() - started).toBeLessThan(2_000);
    expect([code, stdout, stderr]).toEqual([
      ...[1, ''],
      `longhand: No Temporal server answers at 127.0.0.1:1, and the archive (${store}) has no chain box-1. Start it, or correct TEMPORAL_ADDRESS or --address.\n`,
    ]);
  },
);

it('what only a server has is reported as missing server', async () => {
  const message =
    'longhand: No Temporal server answers at 127.0.0.1:1. Start it, or correct TEMPORAL_ADDRESS or --address.\n';
  expect(await longhandHere(['inbox'], env)).toEqual({ code: 1, stdout: '', stderr: message });
});

it('what the archive has is printed, and then that no server answered', async () => {
  const { code, stdout, stderr } = await longhandHere(['chain', 'list', '--json'], env);
  expect([code, stdout.trim()]).toEqual([0, '[]']);
  expect(stderr).toBe(`No Temporal server answers at 127.0.0.1:1: read from the archive (${store}).\n`);
});
