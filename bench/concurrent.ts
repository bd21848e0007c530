/** Many short chains at once: what a worker gets done when it is never without work. */

import { type CaseOptions, runRounds } from './case.js';
import type { Row } from './measure.js';

export async function measureConcurrent(options: CaseOptions): Promise<readonly Row[]> {
  const round = { steps: 10, chains: 50, times: 5, systems: ['longhand', 'hand-written'] } as const;
  return runRounds({ ...round, times: 2 }, [round], options);
}

/** What the rows come to, for people. */
export function concurrentFindings(rows: readonly Row[]): readonly string[] {
  const [ours, theirs] = (['longhand', 'hand-written'] as const).map((name) =>
    rows.find(({ system }) => system === name),
  );
  if (!ours || !theirs) return [];
  return [
    `Longhand against the hand-written loop: steps per second × ${(ours.stepsPerSecond / theirs.stepsPerSecond).toFixed(2)}, ` +
      `CPU per step × ${(ours.cpuMsPerStep / theirs.cpuMsPerStep).toFixed(2)}.`,
  ];
}
