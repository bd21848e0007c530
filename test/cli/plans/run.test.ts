/** `longhand agent debug` and `longhand agent implement`: the plan template that they run, and its parameters. */

import { describe, expect, it } from 'vitest';
import { type AgentTaskFlags, runAgentTask } from '../../../src/cli/plans/run.js';
import type { RunTarget, RunTask } from '../../../src/cli/run/run-task.js';
import type { Terminal } from '../../../src/cli/terminal/terminal.js';
import { matchError } from '../../support/match-error.js';

type PlanFlags = Pick<AgentTaskFlags, 'plan' | 'module' | 'files'>;

/** Returns what the command would run. */
async function findTarget(text: string, flags: PlanFlags): Promise<RunTarget> {
  const loaded: RunTarget[] = [];
  const run: RunTask = async (_terminal, _flags, load) => loaded.push(await load());
  await runAgentTask({} as Terminal, run, text, { limit: [], role: [], ...flags });
  return loaded[0] as RunTarget;
}

describe('the flag --plan', () => {
  it('chooses the plan template that takes the text', async () => {
    const { task, plan, agent } = await findTarget('Prices in cents', { plan: 'refactor_code', files: 'a.ts, b.ts' });
    expect(plan?.name).toBe('refactor_code');
    expect(task).toBe('Improve this code without changing its behaviour: Prices in cents\nIt is in: a.ts, b.ts');
    expect(agent.name).toBe('coder');
  });

  it('chooses a plan template of a module', async () => {
    const { plan, task } = await findTarget('total.test.ts', { plan: 'pass', module: 'test/support/own-plans.ts' });
    expect([plan?.name, task]).toEqual(['pass', 'Make total.test.ts pass.']);
  });

  it.each<[string, PlanFlags, string]>([
    [
      'an unknown name, with all names',
      { plan: 'implement' },
      'Plan template implement not found. Available: debug_bug, implement_feature, refactor_code, write_tests. Load your own with --module.',
    ],
    [
      'files for a plan template without them',
      { plan: 'pass', module: 'test/support/own-plans.ts', files: 'a.ts' },
      'Plan template pass has no parameter files. Leave out --files.',
    ],
    [
      'a plan template with more required parameters',
      { plan: 'move', module: 'test/support/own-plans.ts' },
      'Plan template move does not take one text. Write: longhand plan run move --param what="…" --param to="…"',
    ],
  ])('rejects %s', async (_name, flags, message) => {
    await expect(findTarget('x', flags)).rejects.toThrow(matchError('usage', message));
  });
});
