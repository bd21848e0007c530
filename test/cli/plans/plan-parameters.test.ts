/** Parameters from the command line are converted for the plan template, or rejected with a fix. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fillPlan, formatRunCommand, listParameters } from '../../../src/cli/plans/plan-parameters.js';
import { definePlan } from '../../../src/plans/define-plan.js';
import { matchError } from '../../support/match-error.js';

const template = definePlan({
  name: 'mix',
  description: 'Mixes.',
  parameters: z.object({
    text: z.string().min(1).describe('What'),
    count: z.int().default(2),
    loud: z.boolean().optional(),
    files: z.array(z.string()).optional(),
    more: z.object({ deep: z.string() }).optional(),
  }),
  goal: 'text {text}\ncount {count}\nloud {loud}\nfiles {files}\nmore {more}',
  steps: [{ id: 'mix', description: 'Mix it.' }],
});

const task = (...written: readonly string[]) => fillPlan(template, written).task;

describe('parameters', () => {
  it.each([
    [['text=a=b {c}'], 'text a=b {c}\ncount 2'],
    [['text=7', 'count=3', 'loud=true'], 'text 7\ncount 3\nloud true'],
    [['text=x', 'files=a.ts, b.ts'], 'text x\ncount 2\nfiles a.ts, b.ts'],
    [['text=x', 'files=a.ts', 'files=b.ts'], 'text x\ncount 2\nfiles a.ts, b.ts'],
    [['text=x', 'files=["a, b.ts"]'], 'text x\ncount 2\nfiles a, b.ts'],
    [['text=x', 'more={"deep":"y"}'], 'text x\ncount 2\nmore {"deep":"y"}'],
  ])('are parsed by the schema of the plan template: %j', (written, text) => {
    expect(task(...written)).toBe(text);
  });

  it.each([
    [[], 'Invalid parameters for plan template mix: text: Invalid input: expected string, received undefined.'],
    [[], 'Write: longhand plan run mix --param text="…". For all parameters: longhand plan show mix'],
    [['text'], 'Invalid --param text. Write --param name=value.'],
    [['txt=x'], 'Plan template mix has no parameter txt. Did you mean text?'],
    [['zzzzzz=x'], 'has no parameter zzzzzz. It has: text, count, loud, files, more.'],
    [['__proto__=x'], 'has no parameter __proto__'],
    [['text=x', 'count=many'], 'count: Invalid input: expected number'],
    [['text=x', 'count='], 'count: Invalid input'],
    [['text=x', 'loud=yes'], 'loud: Invalid input: expected boolean'],
  ])('are rejected if invalid: %j', (written, message) => {
    expect(() => task(...written)).toThrow(matchError('usage', message));
  });

  it('are listed with type and whether they are required', () => {
    expect(listParameters(template).map(({ name, required, type }) => [name, required, type])).toEqual([
      ['text', true, 'string'],
      ['count', false, 'integer'],
      ['loud', false, 'boolean'],
      ['files', false, 'array'],
      ['more', false, 'object'],
    ]);
    expect(formatRunCommand(template)).toBe('longhand plan run mix --param text="…"');
  });
});
