/** Plan templates: definition, validation, and the built-in ones. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { validatePlanTemplate } from '../../src/core/engine/plan/validate-plan.js';
import { askUser, builtInPlans, codeTools, debugBug, fileTools } from '../../src/entries/tools.js';
import { definePlan } from '../../src/index.js';
import { matchError } from '../support/match-error.js';

const definition = {
  name: 'upgrade',
  description: 'Raises a package.',
  parameters: z.object({
    package: z.string().min(1).describe('Which'),
    version: z.string().default('latest'),
    why: z.string().optional(),
    files: z.array(z.string()).optional(),
    deep: z.int().optional(),
  }),
  goal: 'Raise {package} to {version}.\nBecause {why}.\nIn {files}, {deep} deep.',
  steps: [
    { id: 'read', description: 'Read what {version} changes.' },
    { id: 'look', description: 'Look who uses {package}.', dependsOn: [], tools: ['search_text'] },
    { id: 'raise', description: 'Raise it.', dependsOn: ['read', 'look'], confirm: ['shell_exec'] },
    { id: 'test', description: 'Test it.' },
  ],
};

describe('a plan template', () => {
  it('becomes a task and a plan with its parameters', () => {
    expect(definePlan(definition).plan({ package: 'zod', files: ['a.ts', 'b.ts'], deep: 2 })).toEqual({
      task: 'Raise zod to latest.\nIn a.ts, b.ts, 2 deep.',
      plan: {
        name: 'upgrade',
        tasks: [
          { id: 'read', description: 'Read what latest changes.', dependsOn: [], tools: [], confirm: [] },
          { id: 'look', description: 'Look who uses zod.', dependsOn: [], tools: ['search_text'], confirm: [] },
          { id: 'raise', description: 'Raise it.', dependsOn: ['read', 'look'], tools: [], confirm: ['shell_exec'] },
          { id: 'test', description: 'Test it.', dependsOn: ['raise'], tools: [], confirm: [] },
        ],
      },
    });
  });

  it('keeps places within parameters and shortens long descriptions', () => {
    const { task, plan } = definePlan(definition).plan({ package: '{version} $& {why}', version: 'x'.repeat(900) });
    expect(task).toMatch(/^Raise \{version\} \$& \{why\} to x{900}\.$/);
    expect(plan.tasks[0]?.description).toHaveLength(500);
    expect(validatePlanTemplate(plan)).toBeNull();
  });

  it('rejects invalid parameters', () => {
    expect(() => definePlan(definition).plan({ package: '' })).toThrow(matchError('invalid_plan', /upgrade.*package/s));
    expect(definePlan(definition).validateParameters({})).toMatch(/^package: /);
  });

  it.each<[object, string]>([
    [{ name: 'two words' }, 'definePlan: the name "two words" must begin with a letter'],
    [{ goal: undefined }, 'definePlan: upgrade: `goal` is missing.'],
    [{ description: '' }, 'description must be a text that is not empty'],
    [{ parameters: { package: 'text' } }, 'parameters must be a schema of zod 4'],
    [{ parameters: z.string() }, 'parameters must be an object with named members'],
    [{ tasks: [] }, 'tasks is unknown; expected name, description'],
    [{ goal: 'Raise {pakage}.' }, 'goal has {pakage}, which is not a parameter; you may mean {package}'],
    [{ goal: 'Why: {why}' }, 'goal is empty without why: add a line without it'],
    [{ steps: [] }, 'steps must be a list of at least one task'],
    [
      { steps: [{ id: 'a', description: 'A {nothing}' }] },
      'the description of a has {nothing}, which is not a parameter',
    ],
    [{ steps: [{ id: 'a', description: '{files}' }] }, 'the description of a is empty without files'],
    [
      { steps: [{ id: 'a', description: 'A', confirmation: true }] },
      'steps.0.confirmation is unknown; you may mean confirm',
    ],
    [{ steps: [{ id: 'a', description: 'A', dependsOn: ['b'] }] }, 'a depends on b, which is not a task'],
  ])('is rejected with %j', (wrong, message) => {
    const define = () => definePlan({ ...definition, ...wrong } as never);
    expect(define).toThrow(matchError('invalid_plan', /^definePlan: /));
    expect(define).toThrow(matchError('invalid_plan', message));
  });
});

describe('the built-in plan templates', () => {
  it('use existing tools, and require approval of commits', () => {
    expect(builtInPlans.map(({ name }) => name)).toEqual([
      'debug_bug',
      'implement_feature',
      'refactor_code',
      'write_tests',
    ]);
    const tools = [...fileTools({ root: '.' }), ...codeTools({ root: '.', tests: 'npm test' }), askUser()].map(
      ({ name }) => name,
    );
    for (const { steps } of builtInPlans) {
      for (const step of steps) {
        expect(tools).toEqual(expect.arrayContaining([...step.tools, ...step.confirm]));
        expect(step.confirm.includes('git_commit')).toBe(step.tools.includes('git_commit'));
      }
      expect(steps.at(-1)).toMatchObject({ id: 'commit', confirm: ['git_commit'] });
    }
  });

  it('name the files if there are any', () => {
    expect(debugBug.plan({ error: 'sum(2, 2) is 0' }).task).toBe(
      'Find the cause of this bug and fix it: sum(2, 2) is 0',
    );
    expect(debugBug.plan({ error: 'x', files: ['a.js', 'b.js'] }).task).toMatch(/\nStart with: a\.js, b\.js$/);
  });
});
