/** L8: the updates of a running chain add up to its final view. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyRecord, recordEntries } from '../../../src/core/engine/state/entry.js';
import { takeTurn } from '../../../src/core/engine/turn.js';
import type { Chain } from '../../../src/core/model/chain.js';
import { emptyState } from '../../../src/core/model/state.js';
import { buildReasoning } from '../../../src/core/view/build-reasoning.js';
import { createLiveView } from '../../../src/core/view/live-view.js';
import type { StepView } from '../../../src/core/view/reasoning-view.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer } from '../../../src/core/view/visibility.js';
import { budget } from '../../support/budget.js';
import { agentOf, answers, asks, look, pay, tool } from '../../support/core-builders.js';
import { runWorld } from '../../support/core-environment.js';
import { prepared } from '../../support/core-play.js';
import { deployed } from '../../support/play-approvals.js';
import { someConfig, someViewer } from '../../support/some-viewer.js';

const nothing = new Map();

it('the last update of each step equals the step of the view', () => {
  const script = fc.array(fc.integer({ min: 0, max: 9_999 }), { maxLength: 600, size: 'max' });
  fc.assert(
    fc.property(script, someViewer, someConfig, (numbers, viewer, config) => {
      const world = runWorld(agentOf(), numbers);
      const see = createLiveView(viewer, config);
      const last = new Map<string, StepView>();
      let chain: Chain = { ...emptyRecord, state: emptyState };
      for (const { history, facts } of world.turns) {
        const turn = takeTurn(chain.state, history, facts);
        chain = recordEntries(chain, turn.state, turn.entries);
        for (const step of see(chain, nothing).changedSteps) last.set(step.id, step);
      }
      const whole = view(buildReasoning(chain), viewer, config);
      expect(last.size).toBe(whole.steps.length);
      expect(whole.steps.map(({ id }) => last.get(id))).toEqual(whole.steps);
      expect(see(chain, nothing).progress()).toEqual(whole.progress);
    }),
    { numRuns: budget(15, 150) },
  );
});

it.each(['developer', 'end_user', 'auditor'])(
  'shows a viewer of the role %s requests to people as the view does',
  (role) => {
    const { turns, chain: whole } = deployed();
    const see = createLiveView(createViewer(role), {});
    const last = new Map<string, StepView>();
    let chain: Chain = { ...emptyRecord, state: emptyState };
    for (const { history, facts } of turns) {
      const turn = takeTurn(chain.state, history, facts);
      chain = recordEntries(chain, turn.state, turn.entries);
      for (const step of see(chain, nothing).changedSteps) last.set(step.id, step);
    }
    const { steps } = view(buildReasoning(whole), createViewer(role));
    expect(steps.map(({ id }) => last.get(id))).toEqual(steps);
  },
);

describe('updates of a running chain', () => {
  const mails = agentOf({
    tools: [tool('look', { view: { sensitive: ['pin'] } }), tool('pay', { effects: 'unsafe', attempts: 1 })],
  });

  it('contain the changed steps, and no step twice', () => {
    const see = createLiveView(createViewer('end_user'), {});
    const play = prepared(mails);
    const update = () =>
      see(play.chain, nothing).changedSteps.map((step) => (step.level === 'summary' ? step.summary : step.id));
    expect(update()).toEqual([]);
    play.after(1_000).replied(asks(look('a'), look('b')));
    expect(update()).toEqual(['Thinking', 'Calling look', 'Calling look']);
    expect(update()).toEqual([]);
    play.after(1_000).returned('1.2');
    expect(update()).toEqual(['Called look', 'look answered']);
    play.after(1_000).returned('1.1');
    expect(update()).toEqual(['Called look', 'look answered']);
    play.after(1_000).replied(answers('42'));
    expect(update()).toEqual(['2a']);
  });

  it('number marks as the view does, also for results in another order than their calls', () => {
    const see = createLiveView(createViewer('developer'), {});
    const play = prepared(mails);
    const last = new Map<string, StepView>();
    const look1 = () => {
      for (const step of see(play.chain, nothing).changedSteps) last.set(step.id, step);
    };
    play.after(1_000).replied(asks(look('ann@example.org'), look('b')));
    look1();
    play.after(1_000).returned('1.2', 'bob@example.org');
    look1();
    play.after(1_000).returned('1.1', 'cid@example.org to ann@example.org');
    look1();
    expect(last.get('1.2r')).toMatchObject({ observation: '[redacted:email#2]' });
    expect(last.get('1.1r')).toMatchObject({ observation: '[redacted:email#3] to [redacted:email]' });
    expect([...last.values()]).toEqual(
      expect.arrayContaining([...view(buildReasoning(play.chain), createViewer('developer')).steps]),
    );
  });

  it('remember sensitive values of earlier steps', () => {
    const see = createLiveView(createViewer('developer'), {});
    const play = prepared(mails);
    play.after(1_000).replied(asks(look({ pin: 'opensesame' })));
    see(play.chain, nothing);
    play.after(1_000).returned('1.1');
    see(play.chain, nothing);
    play.after(1_000).replied(asks(pay({ note: 'opensesame' })));
    expect(JSON.stringify(see(play.chain, nothing).changedSteps)).toContain('"note":"[redacted:field]"');
  });
});
