/**
 * The same task at growing length. A system that passes the conversation pays for all earlier steps at each; one that
 * refers to it should not.
 */

import type { Case } from '../case.js';
import type { Range } from '../plausible.js';
import { promises } from '../promises.js';
import { observationBytes, replyBytes } from '../rig/task.js';
import {
  type Contestant,
  compareToLoop,
  contestants,
  describe,
  expectedRow,
  findRow,
  handWritten,
  local,
  longhandBytes,
  measureRounds,
  ordinary,
  type Round,
  ratio,
  type SystemRow,
  systemColumns,
  systemContradictions,
} from './rounds.js';

interface HistorySize {
  readonly warmUp: Omit<Round, 'contestants'>;
  readonly rounds: {
    readonly short: Round;
    readonly middle: Round;
    /** The longest that both systems are asked for: the history of the hand-written loop grows with the square. */
    readonly long: Round;
    /** So long that Longhand continues in a new run. */
    readonly longest: Round;
  };
  readonly isBounded: boolean;
  /** What Longhand's steps may add to the longest chain. */
  readonly bytesOfLongest: Range;
}

export const history: Case<SystemRow, HistorySize> = {
  full: {
    warmUp: { steps: 50, chains: 1, times: 3 },
    rounds: {
      short: { steps: 10, chains: 1, times: 9, contestants },
      middle: { steps: 50, chains: 1, times: 7, contestants },
      long: { steps: 200, chains: 1, times: 1, contestants },
      longest: { steps: 500, chains: 1, times: 2, contestants: [ordinary, local] },
    },
    isBounded: true,
    bytesOfLongest: longhandBytes.longRuns,
  },
  smoke: {
    warmUp: { steps: 4, chains: 1, times: 1 },
    rounds: {
      short: { steps: 5, chains: 1, times: 1, contestants },
      middle: { steps: 8, chains: 1, times: 1, contestants },
      long: { steps: 11, chains: 1, times: 1, contestants },
      longest: { steps: 40, chains: 1, times: 1, contestants: [ordinary, local] },
    },
    isBounded: false,
    bytesOfLongest: longhandBytes.shortRuns,
  },
  measure: async (options, { warmUp, rounds: { short, middle, long, longest } }) => {
    // The hand-written loop fills the server with copies of the conversation: its longest chain comes last.
    const rows = await measureRounds(warmUp, [short, middle, longest, long], options);
    return rows.toSorted((a, b) => a.steps - b.steps);
  },
  columns: systemColumns,
  expected: ({ rounds, bytesOfLongest }) => [
    ...[rounds.short, rounds.middle, rounds.long].flatMap((round) =>
      round.contestants.map((contestant) => expectedRow(contestant, round)),
    ),
    ...rounds.longest.contestants.map((contestant) => expectedRow(contestant, rounds.longest, bytesOfLongest)),
  ],
  contradictions: systemContradictions,
  misses: (rows, { isBounded, rounds: { middle } }) =>
    isBounded
      ? [ordinary, local].flatMap((contestant) => {
          const isLocal = contestant.placement === 'local';
          const bounds = [
            ['CPU time', (row: SystemRow) => row.cpuMsPerStep, isLocal ? promises.localCpuOfLoop : promises.cpuOfLoop],
            ['time', (row: SystemRow) => row.msPerStep, isLocal ? promises.localTimeOfLoop : promises.timeOfLoop],
          ] as const;
          return bounds.flatMap(([what, read, most]) => {
            const of = compareToLoop(rows, contestant, read, middle.steps);
            return of <= most
              ? []
              : [
                  `${describe(contestant)}: the ${what} of a step is ${ratio(of)} the loop's; required: ${ratio(most)}.`,
                ];
          });
        })
      : [],
  findings: (rows, { rounds }) => {
    const find = ({ steps }: Round, contestant: Contestant = ordinary) => findRow(rows, contestant, steps);
    const [short, middle, long, longest] = [rounds.short, rounds.middle, rounds.long, rounds.longest].map((round) =>
      find(round),
    );
    const other = find(rounds.middle, handWritten);
    const locally = find(rounds.middle, local);
    if (!short || !middle || !long || !longest || !other || !locally) return [];
    const bytes = perAddedStep(short, long, (row) => row.bytesPerStep);
    const added = observationBytes + replyBytes(long.steps);
    return [
      `Longhand, an added step: ${perAddedStep(short, long, (row) => row.eventsPerStep).toFixed(2)} events and ${bytes.toFixed(0)} bytes, ` +
        `${(bytes - added).toFixed(0)} above its observation and reply (${added}).`,
      `Longhand, bytes per step at ${long.steps} against ${short.steps}: ${percent(long.bytesPerStep / short.bytesPerStep)} ` +
        `(${(short.steps * (short.bytesPerStep - bytes)).toFixed(0)} bytes are fixed: start, agent, answer, end, less a call).`,
      `At ${middle.steps} steps, Longhand against the hand-written loop: CPU ${ratio(middle.cpuMsPerStep / other.cpuMsPerStep)}, ` +
        `time ${ratio(middle.msPerStep / other.msPerStep)}, bytes ${ratio(middle.bytesPerStep / other.bytesPerStep)}.`,
      `The same with local calls: CPU ${ratio(locally.cpuMsPerStep / other.cpuMsPerStep)}, ` +
        `time ${ratio(locally.msPerStep / other.msPerStep)}, ${locally.eventsPerStep.toFixed(2)} events a step.`,
      `Longhand at ${longest.steps} steps against ${middle.steps}, per step: time ${ratio(longest.msPerStep / middle.msPerStep)}, ` +
        `CPU ${ratio(longest.cpuMsPerStep / middle.cpuMsPerStep)}, bytes ${ratio(longest.bytesPerStep / middle.bytesPerStep)}.`,
    ];
  },
};

/** What one more step adds, of something that rows give per step. */
function perAddedStep(short: SystemRow, long: SystemRow, perStep: (row: SystemRow) => number): number {
  return (perStep(long) * long.steps - perStep(short) * short.steps) / (long.steps - short.steps);
}

function percent(of: number): string {
  return `${of >= 1 ? '+' : ''}${((of - 1) * 100).toFixed(1)} %`;
}
