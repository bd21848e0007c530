/** Many short chains at once: what a worker gets done when it is never without work. */

import type { Case } from '../case.js';
import {
  bothSystems,
  expectedRow,
  measureRounds,
  type Round,
  ratio,
  type SystemRow,
  systemColumns,
  systemContradictions,
} from './rounds.js';

interface ConcurrentSize {
  readonly round: Round;
  readonly warmUps: number;
}

export const concurrent: Case<SystemRow, ConcurrentSize> = {
  full: { round: { steps: 10, chains: 50, times: 5, systems: bothSystems }, warmUps: 2 },
  smoke: { round: { steps: 8, chains: 6, times: 1, systems: bothSystems }, warmUps: 1 },
  measure: (options, { round, warmUps }) => measureRounds({ ...round, times: warmUps }, [round], options),
  columns: systemColumns,
  expected: ({ round }) => bothSystems.map((system) => expectedRow(system, round)),
  contradictions: systemContradictions,
  findings: (rows) => {
    const [ours, theirs] = bothSystems.map((name) => rows.find(({ system }) => system === name));
    if (!ours || !theirs) return [];
    return [
      `Longhand against the hand-written loop: steps per second ${ratio(ours.stepsPerSecond / theirs.stepsPerSecond)}, ` +
        `CPU per step ${ratio(ours.cpuMsPerStep / theirs.cpuMsPerStep)}.`,
    ];
  },
};
