/** The agent and the activities of the workflows in own-workflows.ts. */

import { z } from 'zod';
import { defineAgent } from '../../src/index.js';

export const clerk = defineAgent({
  name: 'clerk',
  model: 'claude-sonnet-5-5',
  strategy: 'autonomous',
  outputSchema: z.object({ total: z.number() }),
});

export const ownActivities = {
  chargeCard: async (total: number): Promise<string> => `charged ${total}`,
  checksum: async (bytes: Uint8Array): Promise<string> => [...bytes].join(' '),
};

export type OwnActivities = typeof ownActivities;
