/** A module with plan templates of its own: one takes one text, the other two. */

import { z } from 'zod';
import { definePlan } from '../../src/index.js';

export const pass = definePlan({
  name: 'pass',
  description: 'Makes a test pass.',
  parameters: z.object({ test: z.string(), hint: z.string().optional() }),
  goal: 'Make {test} pass.\nThe bug may be here: {hint}',
  steps: [{ id: 'fix', description: 'Fix the code.' }],
});

export const move = definePlan({
  name: 'move',
  description: 'Moves a thing.',
  parameters: z.object({ what: z.string(), to: z.string() }),
  goal: 'Move {what} to {to}.',
  steps: [{ id: 'move', description: 'Move it.' }],
});
