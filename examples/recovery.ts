/**
 * Recovery: the task names a tool that does not exist. A model that calls it sees an error with the names of its tools,
 * and continues with one of them.
 *
 * npx longhand run improviser "Get data from nonexistent_api" --module examples/recovery.ts
 */

import { defineAgent, defineTool, ToolError } from 'longhand';
import { z } from 'zod';

const datasets: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['exchange_rates', { base: 'EUR', CHF: 0.94, GBP: 0.86, USD: 1.08 }],
  ['office_hours', { weekdays: '9:00 to 17:00', saturday: '10:00 to 14:00', sunday: 'closed' }],
]);

export const listDatasets = defineTool({
  name: 'list_datasets',
  description: 'Lists the names of the datasets that can be read.',
  inputSchema: z.object({}),
  returns: 'a list of names',
  effects: 'read',
  execute: () => [...datasets.keys()],
});

export const readDataset = defineTool({
  name: 'read_dataset',
  description: 'Reads one dataset.',
  inputSchema: z.object({ name: z.string().describe('A name from list_datasets') }),
  effects: 'read',
  execute: ({ name }) => {
    const data = datasets.get(name);
    if (data !== undefined) return data;
    throw new ToolError(`There is no dataset ${name}. There is: ${[...datasets.keys()].join(', ')}.`);
  },
});

export const improviser = defineAgent({
  name: 'improviser',
  instructions: 'You fetch data. If the requested data does not exist, answer that, and list the datasets that do.',
  model: process.env.LONGHAND_MODEL ?? 'claude-sonnet-5-5',
  strategy: 'react',
  tools: [listDatasets, readDataset],
  limits: { steps: 8 },
});
