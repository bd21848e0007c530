/** Free metadata of a chain and of the tasks of a plan: readers see it, no model does. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { getStrategy } from '../../src/core/strategies/index.js';
import { buildReasoning, emptyReasoningContext } from '../../src/core/view/build-reasoning.js';
import { formatAboutLines } from '../../src/core/view/print/head-lines.js';
import { formatPlanLines } from '../../src/core/view/print/plan-lines.js';
import { formatMarkdownReport } from '../../src/core/view/print/report.js';
import { createViewer, view } from '../../src/entries/view.js';
import { definePlan } from '../../src/index.js';
import { agentOf, answers, someInput } from '../support/core-builders.js';
import { completes, planAgent, replyWithCalls, revises } from '../support/core-plans.js';
import { Play } from '../support/core-play.js';

function play(agent = agentOf(), more: object = {}): Play {
  const chain = new Play();
  chain.take({ type: 'started', chainId: 'c', input: { ...someInput, ...more } });
  if (chain.state.stop === null) chain.take({ type: 'prepared', agent });
  return chain;
}

const render = ({ chain }: Play) => {
  const { agent } = chain.state;
  if (agent === null) throw new Error('The agent is not known.');
  return JSON.stringify(getStrategy(agent.strategy).render(chain, agent));
};
const viewFor = ({ chain }: Play, role = 'developer', config = {}) =>
  view(buildReasoning(chain, emptyReasoningContext), createViewer(role), config);

const metadata = { ticket: 'A-17', owner: { mail: 'ada@example.org' } };

describe('the metadata of a chain', () => {
  it('is in its view, masked, and in its texts, and no model sees it', () => {
    const chain = play(agentOf(), { metadata });
    const seen = viewFor(chain);
    expect(seen.metadata).toMatchObject({
      ticket: 'A-17',
      owner: { mail: expect.stringMatching(/^\[redacted:email/) },
    });
    expect(JSON.stringify(formatAboutLines(seen))).toContain('A-17');
    expect(formatMarkdownReport(seen)).toContain('A-17');
    expect(render(chain)).toBe(render(play()));
    chain.replied(answers('Done.'));
    expect(chain.result.outcome).toBe('success');
  });

  it('is absent where its viewer may not see the task, and without any', () => {
    const chain = play(agentOf(), { metadata, tenant: 'acme' });
    const other = view(
      buildReasoning(chain.chain, emptyReasoningContext),
      createViewer('end_user', { tenant: 'other' }),
    );
    expect(other).not.toHaveProperty('metadata');
    expect(viewFor(play())).not.toHaveProperty('metadata');
  });

  it.each([5, [], { a: 'x'.repeat(16_384) }])(
    'ends the chain where another program starts it with no such object',
    (bad) => {
      expect(play(agentOf(), { metadata: bad }).result).toMatchObject({
        outcome: 'failure',
        reasonCode: 'invalid_start',
      });
    },
  );
});

describe('the metadata of a step of a plan', () => {
  const upgrade = definePlan({
    name: 'upgrade',
    description: 'Upgrades.',
    parameters: z.object({}),
    goal: 'Upgrade it.',
    steps: [
      { id: 'read', description: 'Read the notes.', metadata: { board: 'docs-7' } },
      { id: 'build', description: 'Build it.' },
    ],
  });
  const { plan } = upgrade.plan({});

  it('stays with its task, also when the model revises the plan, and no model sees it', () => {
    const chain = play(planAgent({ reflection: false }), { plan });
    expect(chain.state.plan?.tasks.map((task) => task.metadata)).toEqual([{ board: 'docs-7' }, undefined]);
    replyWithCalls(chain, revises('Better.', 'read', 'ship after read'));
    replyWithCalls(chain, completes('read'));
    expect(chain.state.plan?.tasks.find(({ id }) => id === 'read')?.metadata).toEqual({ board: 'docs-7' });
    expect(render(chain)).not.toContain('docs-7');
    const seen = viewFor(chain).plan;
    expect(JSON.stringify(formatPlanLines(seen))).toContain('docs-7');
    expect(JSON.stringify(viewFor(chain, 'end_user').plan)).not.toContain('docs-7');
  });

  it('is not what a model writes', () => {
    const chain = play(planAgent({ reflection: false }));
    replyWithCalls(chain, ['make_plan', { tasks: [{ id: 'a', description: 'Do a.', metadata: { board: 'mine' } }] }]);
    expect(chain.state.plan?.tasks[0]).not.toHaveProperty('metadata');
  });

  it('is rejected when it is too large', () => {
    const steps = [{ id: 'read', description: 'Read.', metadata: { a: 'x'.repeat(1_024) } }];
    expect(() => definePlan({ name: 'p', description: 'P.', parameters: z.object({}), goal: 'P.', steps })).toThrow(
      'metadata must be an object of at most 1024 bytes',
    );
  });
});
