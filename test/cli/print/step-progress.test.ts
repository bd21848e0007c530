/** Printed steps of a running chain: the current step and the step limit, unless a plan has tasks to count. */

import { expect, it } from 'vitest';
import { createChainPrinter } from '../../../src/cli/print/print-chain.js';
import { createWatchPrinter, type WatchItem } from '../../../src/cli/print/watch-lines.js';
import { planDefaults } from '../../../src/core/strategies/strategy.js';
import { buildReasoning } from '../../../src/core/view/build-reasoning.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer } from '../../../src/core/view/visibility.js';
import type { FollowEvent } from '../../../src/index.js';
import { agentOf, asks, look } from '../../support/core-builders.js';
import { limits } from '../../support/core-people.js';
import { type Play, prepared } from '../../support/core-play.js';

const headsIn = (text: string) => text.match(/^Step \d+(?: of at most \d+)?/gm);

/** Takes two steps, and raises the limit of steps between them. */
function playSteps(play: Play): Play {
  play.replied(asks(look(1)));
  play.returned('1.1');
  play.take(limits({ steps: 20 }));
  play.replied(asks(look(2)));
  play.returned('2.1');
  return play;
}

const playChain = () => prepared(agentOf({ limits: { steps: 12 } }));

function printRun({ entries }: Play): string {
  const print = createChainPrinter({ color: false, width: 100 });
  const place = { chainId: 'c', runId: 'r', eventId: 1, item: 0, provisional: false } as const;
  return entries.map((entry) => print({ ...place, ...entry } as FollowEvent)).join('');
}

it('run prints the step and the step limit, also after the limit is raised, but not with a plan', () => {
  expect(headsIn(printRun(playSteps(playChain())))).toEqual(['Step 1 of at most 12', 'Step 2 of at most 20']);
  const planned = playSteps(prepared(agentOf({ strategy: planDefaults, limits: { steps: 12 } })));
  expect(headsIn(printRun(planned))).toEqual(['Step 1', 'Step 2']);
});

it('watch prints the step and the step limit, also after the limit is raised', () => {
  const print = createWatchPrinter({ color: false, width: 100 });
  const play = playChain();
  const viewNow = () => view(buildReasoning(play.chain), createViewer('developer'));
  const opened = viewNow();
  playSteps(play);
  const { steps, state, progress } = viewNow();
  const items: readonly WatchItem[] = [
    { type: 'view-opened', view: opened },
    ...steps.map((step): WatchItem => ({ type: 'step-changed', step, state, progress })),
  ];
  expect(headsIn(items.map(print).join(''))).toEqual(['Step 1 of at most 12', 'Step 2 of at most 20']);
});
