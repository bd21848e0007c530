/** What a `react` agent has where its definition says nothing. */

import type { ReactOptions } from '../model/agent.js';

const thoughtPrompt = `Look at where the task stands:
- What do I know by now, and from which observation?
- What is still missing or left to do?
- Which next step follows from that?
- Which tool is the simplest that can do it?

Think it through before you choose an action.`;

export const reactDefaults: ReactOptions = {
  name: 'react',
  thoughtPrompt,
  requireThought: true,
  minThoughtLength: 10,
  thoughtTag: 'Thought',
  actionTag: 'Action',
  observationTag: 'Observation',
  scratchpad: true,
  multipleActions: false,
};
