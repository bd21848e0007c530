/** Printed steps of a running chain: the current step and the step limit, unless a plan has tasks to count. */

import { expect, it } from 'vitest';
import { ChainPrinter } from '../../../src/cli/print/chain-printer.js';
import { foldRecordedTurns } from '../../../src/core/engine/fold-turns.js';
import { planDefaults } from '../../../src/core/strategies/strategy.js';
import { agentOf, asks, look } from '../../support/core-builders.js';
import { limits } from '../../support/core-people.js';
import { type Play, prepared } from '../../support/core-play.js';
import { watchTurns } from '../../support/watched.js';

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

function print({ turns }: Play, form: 'run' | 'watch'): string {
  const printer = new ChainPrinter({ color: false, width: 100, form });
  return watchTurns(foldRecordedTurns(turns).turns)
    .map((item) => printer.print(item))
    .join('');
}

it.each(['run', 'watch'] as const)(
  '%s prints the step and the step limit, also after the limit is raised, but not with a plan',
  (form) => {
    const play = playSteps(prepared(agentOf({ limits: { steps: 12 } })));
    expect(headsIn(print(play, form))).toEqual(['Step 1 of at most 12', 'Step 2 of at most 20']);
    const planned = playSteps(prepared(agentOf({ strategy: planDefaults, limits: { steps: 12 } })));
    expect(headsIn(print(planned, form))).toEqual(['Step 1', 'Step 2']);
  },
);
