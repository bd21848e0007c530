/** Many short chains at once: what a worker gets done when it is never without work. */

import type { Case } from '../case.js';
import { promises } from '../promises.js';
import {
  compareToLoop,
  contestants,
  describe,
  expectedRow,
  findRow,
  handWritten,
  local,
  measureRounds,
  ordinary,
  type Round,
  ratio,
  type SystemRow,
  systemColumns,
  systemContradictions,
} from './rounds.js';

interface ConcurrentSize {
  readonly round: Round;
  readonly warmUps: number;
  readonly isBounded: boolean;
}

export const concurrent: Case<SystemRow, ConcurrentSize> = {
  full: { round: { steps: 10, chains: 50, times: 5, contestants }, warmUps: 2, isBounded: true },
  smoke: { round: { steps: 8, chains: 6, times: 1, contestants }, warmUps: 1, isBounded: false },
  measure: (options, { round, warmUps }) => measureRounds({ ...round, times: warmUps }, [round], options),
  columns: systemColumns,
  expected: ({ round }) => round.contestants.map((contestant) => expectedRow(contestant, round)),
  contradictions: systemContradictions,
  misses: (rows, { isBounded }) =>
    [ordinary, local].flatMap((contestant) => {
      const least = contestant.placement === 'local' ? promises.localRateOfLoop : promises.rateOfLoop;
      const rate = compareToLoop(rows, contestant, (row) => row.stepsPerSecond);
      if (!isBounded || rate >= least) return [];
      return [`${describe(contestant)}: steps per second are ${ratio(rate)} the loop's; required: ${ratio(least)}.`];
    }),
  findings: (rows) => {
    const [ours, locally, theirs] = [ordinary, local, handWritten].map((contestant) => findRow(rows, contestant));
    if (!ours || !locally || !theirs) return [];
    const compare = (row: SystemRow) =>
      `steps per second ${ratio(row.stepsPerSecond / theirs.stepsPerSecond)}, ` +
      `CPU per step ${ratio(row.cpuMsPerStep / theirs.cpuMsPerStep)}.`;
    return [
      `Longhand against the hand-written loop: ${compare(ours)}`,
      `The same with local calls: ${compare(locally)}`,
    ];
  },
};
