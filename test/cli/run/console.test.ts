/** What modules of users print with `console` is no result of a command: it goes to standard error. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { longhand } from '../../support/command.js';

const folder = mkdtempSync(join(tmpdir(), 'longhand-console-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a module that prints does not spoil the JSON of a command', async () => {
  const module = join(folder, 'agents.mts');
  const entry = fileURLToPath(new URL('../../../dist/src/index.js', import.meta.url));
  writeFileSync(
    module,
    `import { defineAgent } from '${entry}';
console.log('loading');
console.table([{ a: 1 }]);
console.error('careful');
export const clerk = defineAgent({ name: 'clerk', model: 'm', tools: [] });
`,
  );
  const { code, stdout, stderr } = await longhand(['tools', 'list', '--module', module, '--json']).end;
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('loading') });
  expect(stderr).toContain('careful');
  expect(JSON.parse(stdout)).toEqual(expect.anything());
});
