/** Plan templates listed and shown, in wide and narrow terminals, and as JSON. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { getPlan } from '../../../src/cli/plans/plan-parameters.js';
import { formatPlan, printPlans, showPlan } from '../../../src/cli/plans/show.js';
import { loadPlans } from '../../../src/cli/run/load-definitions.js';
import type { Terminal } from '../../../src/cli/terminal/terminal.js';
import { debugBug } from '../../../src/presets/built-in-plans.js';
import { matchError } from '../../support/match-error.js';

const folder = mkdtempSync(join(tmpdir(), 'longhand-workflows-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function module(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const source = fileURLToPath(new URL('../../../src/plans/define-plan.js', import.meta.url)).replace(/js$/, 'ts');
const zod = import.meta.resolve('zod');
const createPlanTemplate = (name: string) =>
  `definePlan({ name: '${name}', description: 'Mine', parameters: z.object({}), goal: 'Do it', steps: [{ id: 'a', description: 'Do it.' }] })`;
const head = `import { definePlan } from '${source}';\nimport { z } from '${zod}';\n`;

async function printText(go: (terminal: Terminal) => Promise<number>, width = 100): Promise<string> {
  const texts: string[] = [];
  const write = (text: string) => void texts.push(text);
  const terminal = { write, writeRaw: write, report: () => {}, color: false, width, tableWidth: width };
  expect(await go(terminal)).toBe(0);
  return texts.join('');
}

describe('plan list', () => {
  it('contains the built-in plan templates with their parameters', async () => {
    const text = await printText((terminal) => printPlans(terminal, {}));
    expect(text).toMatch(
      /^PLAN TEMPLATE +STEPS +PARAMETERS +DESCRIPTION\ndebug_bug +7 +error \[files\] +Finds the cause/,
    );
    expect(text.trim().split('\n')).toHaveLength(5);
  });

  it("contains the module's plan templates first; they replace built-in ones by name", async () => {
    const file = module(
      'mine.ts',
      `${head}export const a = ${createPlanTemplate('mine')};\nexport const b = ${createPlanTemplate('debug_bug')};`,
    );
    const names = JSON.parse(await printText((terminal) => printPlans(terminal, { module: file, json: true }))).map(
      ({ name }: { name: string }) => name,
    );
    expect(names).toEqual(['mine', 'debug_bug', 'implement_feature', 'refactor_code', 'write_tests']);
    const { plans } = await loadPlans(file);
    expect(getPlan(plans, 'debug_bug').description).toBe('Mine');
    expect(() => getPlan(plans, 'debug')).toThrow(matchError('usage', 'Plan template debug not found. '));
    expect(() => getPlan(plans, 'refactor_kode')).toThrow(matchError('usage', 'Did you mean refactor_code?'));
  });

  it('rejects an invalid module', async () => {
    await expect(loadPlans(module('none.ts', 'export const a = 1;'))).rejects.toThrow(
      matchError('usage', 'exports no plan template'),
    );
    const twice = module(
      'twice.ts',
      `${head}export const a = ${createPlanTemplate('x')};\nexport const b = ${createPlanTemplate('x')};`,
    );
    await expect(loadPlans(twice)).rejects.toThrow(matchError('usage', 'two plan templates named x'));
  });
});

describe('plan show', () => {
  it('shows the steps with dependencies, tools and required approvals', () => {
    expect(formatPlan(debugBug, { width: 100, color: false })).toMatchInlineSnapshot(`
      "debug_bug  Finds the cause of a bug, fixes it, and proves the fix with a test.

      Goal
        Find the cause of this bug and fix it: {error}
        Start with: {files}

      Parameters
        error          The bug: an error message, a failing test, or the observed behaviour (required)
        files          Files to start with (a list, optional)

      Steps
        reproduce      Reproduce the bug: run the tests or the smallest command that shows it, and record
                       its output.
                       tools: run_tests, shell_exec
        read_code      Read the code on the path of the bug, and its tests.
                       starts at once
                       tools: list_files, read_file, search_text
        find_cause     Name the cause: which line is wrong, and why it leads to the bug. Check it against
                       the code.
                       waits for: reproduce, read_code
                       tools: read_file, search_text
        propose_fix    Describe the change, its place, and the code that depends on it. Change nothing
                       yet.
        implement_fix  Make the smallest change that fixes the cause. If no test shows the bug, add one.
                       tools: file_edit, file_write
        test_fix       Run all tests. The bug is fixed and nothing else is broken. Otherwise fix that
                       first.
                       tools: run_tests, shell_exec
        commit         Commit the files changed for this, with a message that describes the bug and the
                       fix.
                       tools: git_status, git_diff, git_commit
                       needs approval: git_commit

      To run it: longhand plan run debug_bug --param error="…"
      "
    `);
  });

  it('fits a narrow terminal', () => {
    for (const width of [30, 45, 60]) {
      for (const line of formatPlan(debugBug, { width, color: false }).split('\n').slice(1)) {
        expect(line.length).toBeLessThanOrEqual(width);
      }
    }
  });

  it('prints JSON for scripts', async () => {
    const text = await printText((terminal) => showPlan(terminal, 'debug_bug', { json: true }));
    expect(JSON.parse(text)).toMatchObject({
      name: 'debug_bug',
      parameters: { required: ['error'] },
      steps: expect.arrayContaining([expect.objectContaining({ id: 'commit', confirm: ['git_commit'] })]),
    });
  });
});
