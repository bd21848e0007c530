/** `npm test`: sets up what is missing, runs every test (or those named), and closes with `N passed, N failed`. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, run } from './child.mjs';
import { closingLine, notPassed } from './closing-line.mjs';
import { ensureSetup } from './setup.mjs';
import { main } from './stage.mjs';

await main(async (args) => {
  await ensureSetup({ need: ['packages', 'native', 'build', 'temporal'] });
  const folder = await mkdtemp(join(tmpdir(), 'longhand-test-'));
  const file = join(folder, 'report.json');
  try {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const code = await run(process.execPath, [vitest, 'run', ...reporters, ...args]);
    const report = await readFile(file, 'utf8').then(JSON.parse, () => null);
    const line = closingLine(report, code, { chosen: args.length > 0 });
    process.stdout.write([...notPassed(report, { chosen: args.length > 0 }), line, ''].join('\n'));
    return line.endsWith(' 0 failed') ? code : code || 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
