/** Scenarios of chains that delegate: the ends of sub-chains, and calls that start several. */

import { z } from 'zod';
import { delegate, explore, mapAgent } from '../../src/agents/delegate.js';
import { defineTool } from '../../src/tools/define/define-tool.js';
import { callAgent, createActor, delegateOnce, playRoles, type Role } from '../support/delegating.js';
import type { Scenario } from './scenarios.js';

const look = defineTool({
  name: 'look',
  description: 'Looks at a thing',
  inputSchema: z.object({ thing: z.string() }),
  effects: 'read',
  execute: ({ thing }) => `${thing} is there`,
});

const looks = (thing: string) => ({ text: 'I look.', calls: [{ name: 'look', input: { thing } }] });
const refused = { status: 400, error: { type: 'invalid_request_error', message: 'not today' } } as const;

/** Looks and answers, unless its task names another end. */
const helps: Role = ({ step, task: given }) => {
  if (step === 1) return looks('tea');
  if (given.includes('fail')) return refused;
  return given.includes('hang') ? { hang: true, afterEvents: 1 } : { text: `Done: ${given}` };
};

/** Delegates once, and answers with the text of the stored histories. */
function delegateAsStored(...calls: readonly { readonly name: string; readonly input: object }[]): Role {
  const role = delegateOnce(...calls);
  return (turn) => (turn.step === 1 ? role(turn) : { text: `Heard: ${turn.last}` });
}

const helper = createActor('helper', { tools: [look] });

const lead = createActor('lead', {
  tools: [
    helper,
    delegate(helper, { name: 'in_full', sees: 'chain' }),
    delegate(helper, { name: 'again', retry: { attempts: 2 } }),
    delegate('lead', { name: 'in_a_circle' }),
    look,
  ],
});

const hypotheses = ['It is the cache.', 'It is the clock.', 'It is the disk.'];

const finder = createActor('finder', {
  tools: [look, explore({ judge: ({ answer }) => (String(answer).includes('clock') ? 1 : 0) })],
});

const finds: Role = ({ step, all, last }) => {
  const own = /Try this one and answer with the result: (.+)/.exec(all)?.[1];
  if (own !== undefined) return { text: `Tried: ${own}` };
  if (step === 1) return looks('the code');
  return step === 2 ? { text: 'I try.', calls: [{ name: 'explore', input: { hypotheses } }] } : { text: `So: ${last}` };
};

export const delegationScenarios: readonly Scenario[] = [
  {
    name: 'sub-chains',
    agent: lead,
    replies: playRoles({
      lead: delegateAsStored(
        callAgent('helper', 'one'),
        callAgent('in_full', 'two'),
        callAgent('again', 'fail'),
        callAgent('helper', 'hang'),
        callAgent('in_a_circle'),
        { name: 'look', input: { thing: 'coffee' } },
      ),
      helper: helps,
    }),
    during: async ({ chainId }, models, longhand) => {
      // One request of the lead, two of each of four sub-chains, and two of the retried one.
      while (models.requests.length < 1 + 2 * 4 + 2) await new Promise((resolve) => setTimeout(resolve, 20));
      await longhand.client.workflow.getHandle(`${chainId}/1.4`).terminate('in a scenario');
    },
    result: { outcome: 'success', steps: 2 },
    statuses: ['ok', 'ok', 'error', 'error', 'error', 'ok'],
  },
  {
    name: 'sub-chain',
    agent: lead,
    replies: playRoles({ lead: delegateAsStored(callAgent('helper', 'one')), helper: helps }),
    toChainId: (chainId) => `${chainId}/1.1`,
    result: { outcome: 'success', steps: 2 },
    statuses: ['ok'],
  },
  {
    name: 'sub-chains-of-a-list',
    onlyLive: true,
    agent: createActor('lead', { tools: [mapAgent(helper, { concurrency: 2 })] }),
    replies: playRoles({
      lead: delegateAsStored({ name: 'map_helper', input: { tasks: ['one', 'two', 'to fail', 'four', 'five'] } }),
      helper: helps,
    }),
    result: { outcome: 'success', steps: 2 },
    statuses: ['ok'],
  },
  {
    name: 'branches',
    agent: finder,
    replies: playRoles({ finder: finds }),
    result: { outcome: 'success', steps: 3 },
    statuses: ['ok', 'ok'],
  },
  {
    name: 'sub-chains-cancelled',
    onlyLive: true,
    agent: lead,
    replies: playRoles({
      lead: delegateAsStored(callAgent('helper', 'hang'), callAgent('helper', 'hang')),
      helper: helps,
    }),
    during: async (chain, models) => {
      while (models.requests.length < 1 + 2 * 2) await new Promise((resolve) => setTimeout(resolve, 20));
      await chain.cancel({ by: 'Ada', reason: 'enough' });
    },
    result: { outcome: 'cancelled', steps: 1 },
    statuses: ['cancelled', 'cancelled'],
  },
];
