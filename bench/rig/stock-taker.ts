/** The tool and the agent of measured chains: it looks up parts, and only the length of its task ends it. */

import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.js';
import { defineTool } from '../../src/tools/define/define-tool.js';
import { instructions, lookUp, maxTokens, model, narrowModel, tool } from './task.js';

type Argument = { readonly [argument: string]: string };

const lookingUp = {
  name: tool.name,
  description: tool.description,
  inputSchema: z.object({ [tool.argument.name]: z.string().describe(tool.argument.description) }),
  execute: ({ part }: Argument) => lookUp(String(part)),
} as const;

const createLookUp = (local: boolean) => defineTool({ ...lookingUp, effects: 'read', local });

export const lookUpPart = createLookUp(false);

const stockTaking = {
  instructions,
  model,
  strategy: 'tools',
  tools: [lookUpPart],
  maxTokens,
  // Too high to be reached: the task's length is what ends the chain.
  limits: { steps: 100_000, tokens: 1_000_000_000, costUsd: 1_000_000, time: '1h', stallThreshold: 100_000 },
} as const;

export const stockTaker = defineAgent({ ...stockTaking, name: 'stock_taker' });

/** Its look-ups are local calls. */
export const localTaker = defineAgent({ ...stockTaking, name: 'local_taker', tools: [createLookUp(true)] });

/** The pages that it looks up are empty: what grows is only the number of its steps. */
export const emptyTaker = defineAgent({
  ...stockTaking,
  name: 'empty_taker',
  tools: [defineTool({ ...lookingUp, effects: 'read', execute: ({ part }) => lookUp(String(part)).slice(0, 0) })],
});

/** Its model has a small window, so that its oldest steps are summarized. */
export const narrowTaker = defineAgent({ ...stockTaking, name: 'narrow_taker', model: narrowModel });

/** Each of its look-ups needs approval. */
export const carefulTaker = defineAgent({ ...stockTaking, name: 'careful_taker', approval: { [tool.name]: true } });

/** Its look-ups must not run twice, as if they ordered the parts; nobody approves them. */
export const unsafeTaker = defineAgent({
  ...stockTaking,
  name: 'unsafe_taker',
  tools: [defineTool({ ...lookingUp, effects: 'unsafe', approval: false })],
});
