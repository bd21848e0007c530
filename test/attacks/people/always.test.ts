/** A standing approval comes from a call that was let through, and from no other. */

import { describe, expect, test } from 'vitest';
import { agentOf, pay, toolFailure } from '../../support/core-builders.js';
import { decides, needs, pauses, rules } from '../../support/core-people.js';
import { type Play, prepared } from '../../support/core-play.js';

const changed = { kind: 'approve', input: { cents: 1_000_000 }, always: true } as const;

/** A call of `pay` that a person approved for good, with other arguments. */
function approved(more: Parameters<typeof rules>[0] = {}): Play {
  const play = prepared(agentOf());
  play.replied(needs([rules(more)], pay({ cents: 5 })));
  play.take(decides('1.1', changed));
  return play;
}

function asksAgain(play: Play): readonly string[] {
  play.replied(needs([rules()], pay({ cents: 6 })));
  return play.statuses;
}

describe('Approved always, with other arguments', () => {
  test('Where a policy refuses these, later calls are asked about', () => {
    const play = approved();
    play.broke('1.1', toolFailure('NotDone', 'A policy denied it.'));
    expect(asksAgain(play)).toEqual(['pending']);
    expect(play.ran).toEqual(['1.1']);
    expect(play.state.standingApprovals).toEqual([]);
  });

  test('Where they are let through, later calls run', () => {
    const play = approved();
    play.returned('1.1');
    asksAgain(play);
    expect(play.ran).toEqual(['1.1', '2.1']);
  });

  test('Where nobody knows whether they were let through, later calls are asked about', () => {
    const play = approved();
    play.broke('1.1', toolFailure('timeout'));
    play.take(decides('1.1', { kind: 'happened', observation: 'It was paid.' }));
    asksAgain(play);
    expect(play.ran).toEqual(['1.1']);
  });

  test('A second call of the same step is not let through by a call that is still to be refused', () => {
    const play = prepared(agentOf());
    play.replied(needs([rules(), rules()], pay({ cents: 5 }), pay({ cents: 6 })));
    play.take(decides('1.1', changed));
    expect(play.state.standingApprovals).toEqual([]);
    play.broke('1.1', toolFailure('NotDone', 'A policy denied it.'));
    play.take(decides('1.2', { kind: 'deny' }));
    asksAgain(play);
    expect(play.ran).toEqual(['1.1']);
  });

  test('A breakpoint at the tool stays where the call is refused', () => {
    const play = prepared(agentOf());
    play.take(pauses({ tool: 'pay' }));
    play.replied(needs([null], pay({ cents: 5 })));
    play.take(decides('1.1', changed));
    play.broke('1.1', toolFailure('NotDone', 'A policy denied it.'));
    expect(play.state.breakpoints).toHaveLength(1);
  });
});

test('Approved always with the arguments that the policies have seen counts at once', () => {
  const play = prepared(agentOf());
  play.replied(needs([rules()], pay({ cents: 5 })));
  play.take(decides('1.1', { kind: 'approve', always: true }));
  expect(play.state.standingApprovals).toHaveLength(1);
});
