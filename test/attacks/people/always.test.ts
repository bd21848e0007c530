/** A standing approval starts with a call that the policies permitted. */

import { describe, expect, test } from 'vitest';
import { agentOf, pay, toolFailure } from '../../support/core-builders.js';
import { decides, needs, pauses, rules } from '../../support/core-people.js';
import { type Play, prepared } from '../../support/core-play.js';

const changed = { kind: 'approve', input: { cents: 1_000_000 }, always: true } as const;

/** Plays a call of `pay` that a person approved always, with changed arguments. */
function approved(more: Parameters<typeof rules>[0] = {}): Play {
  const play = prepared(agentOf());
  play.replied(needs([rules(more)], pay({ cents: 5 })));
  play.take(decides('1.1', changed));
  return play;
}

function payAgain(play: Play): readonly string[] {
  play.replied(needs([rules()], pay({ cents: 6 })));
  return play.statuses;
}

describe('a call that is approved always with changed arguments', () => {
  test('does not approve later calls if a policy denies its arguments', () => {
    const play = approved();
    play.broke('1.1', toolFailure('NotDone', 'A policy denied it.'));
    expect(payAgain(play)).toEqual(['pending']);
    expect(play.ran).toEqual(['1.1']);
    expect(play.state.standingApprovals).toEqual([]);
  });

  test('approves later calls if the policies permit its arguments', () => {
    const play = approved();
    play.returned('1.1');
    payAgain(play);
    expect(play.ran).toEqual(['1.1', '2.1']);
  });

  test('does not approve later calls if its outcome is unknown', () => {
    const play = approved();
    play.broke('1.1', toolFailure('timeout'));
    play.take(decides('1.1', { kind: 'happened', observation: 'It was paid.' }));
    payAgain(play);
    expect(play.ran).toEqual(['1.1']);
  });

  test('does not approve another call of its step before its policies have decided', () => {
    const play = prepared(agentOf());
    play.replied(needs([rules(), rules()], pay({ cents: 5 }), pay({ cents: 6 })));
    play.take(decides('1.1', changed));
    expect(play.state.standingApprovals).toEqual([]);
    play.broke('1.1', toolFailure('NotDone', 'A policy denied it.'));
    play.take(decides('1.2', { kind: 'deny' }));
    payAgain(play);
    expect(play.ran).toEqual(['1.1']);
  });

  test('keeps the breakpoint of its tool if it is denied', () => {
    const play = prepared(agentOf());
    play.take(pauses({ tool: 'pay' }));
    play.replied(needs([null], pay({ cents: 5 })));
    play.take(decides('1.1', changed));
    play.broke('1.1', toolFailure('NotDone', 'A policy denied it.'));
    expect(play.state.breakpoints).toHaveLength(1);
  });
});

test('a call that is approved always with its own arguments is a standing approval at once', () => {
  const play = prepared(agentOf());
  play.replied(needs([rules()], pay({ cents: 5 })));
  play.take(decides('1.1', { kind: 'approve', always: true }));
  expect(play.state.standingApprovals).toHaveLength(1);
});
