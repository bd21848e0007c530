/** A module for `longhand worker`: an agent with a tool that ignores its signal. */

import { defineAgent, defineTool } from 'longhand';
import { z } from 'zod';

export const stubborn = defineAgent({
  name: 'stubborn',
  model: 'claude-sonnet-5-5',
  strategy: 'tools',
  tools: [
    defineTool({
      name: 'hold_on',
      description: 'Never returns',
      inputSchema: z.object({}),
      effects: 'read',
      timeout: 300_000,
      execute: () => new Promise<string>(() => setInterval(() => {}, 1_000)),
    }),
  ],
});
