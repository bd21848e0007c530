/** A module with a plan template that needs two parameters. */

import { z } from 'zod';
import { definePlan } from '../../src/index.js';

export const move = definePlan({
  name: 'move',
  description: 'Moves a thing.',
  parameters: z.object({ what: z.string(), to: z.string() }),
  goal: 'Move {what} to {to}.',
  steps: [{ id: 'move', description: 'Move it.' }],
});
