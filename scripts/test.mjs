/** `npm test`: sets up what is missing, runs every test (or those named), prints what they cost, and closes with `N passed, N failed`. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, run } from './child.mjs';
import { closingLine, notPassed } from './closing-line.mjs';
import { formatCosts, parseCosts, readChildrenCpuMs } from './file-costs.mjs';
import { findUnproven, readAllProofs } from './proofs.mjs';
import { ensureSetup } from './setup.mjs';
import { main } from './stage.mjs';

await main(async (args) => {
  await ensureSetup({ need: ['packages', 'native', 'build', 'temporal'] });
  const folder = await mkdtemp(join(tmpdir(), 'longhand-test-'));
  const file = join(folder, 'report.json');
  const chosen = args.length > 0;
  try {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const costs = join(folder, 'costs.jsonl');
    const began = { at: performance.now(), cpuMs: readChildrenCpuMs() };
    const env = { ...process.env, LONGHAND_TEST_CPU: costs };
    // `npm run static` is for the others; a file that is named runs in any project.
    const selection = chosen ? args : ['--project', '!static'];
    const code = await run(process.execPath, [vitest, 'run', ...reporters, ...selection], { env });
    const cpuMs = began.cpuMs === null ? null : readChildrenCpuMs() - began.cpuMs;
    const report = await readFile(file, 'utf8').then(JSON.parse, () => null);
    // Only a whole run in the long form has all tests that requirements name.
    const isWhole = report !== null && !chosen && process.env.LONGHAND_TEST_LONG === '1';
    const unproven = isWhole ? findUnproven(readAllProofs(), report) : [];
    const line = closingLine(report, code, { chosen, unproven });
    const written = parseCosts(await readFile(costs, 'utf8').catch(() => ''));
    const spent = formatCosts(written, { ms: performance.now() - began.at, cpuMs });
    process.stdout.write([...spent, ...notPassed(report, { chosen }), ...unproven, line, ''].join('\n'));
    return line.endsWith(' 0 failed') ? code : code || 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
