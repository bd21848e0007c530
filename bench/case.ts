/** What every case does alike: warms the systems up, lets them take turns, and takes medians. */

import { measure, medianRow, type Row } from './measure.js';
import type { Rig, SystemName } from './rig.js';

/** Chains of one length, some at once, measured some times. */
export interface Round {
  readonly steps: number;
  readonly chains: number;
  readonly times: number;
  readonly systems: readonly SystemName[];
}

export interface CaseOptions {
  readonly rig: Rig;
  /** Told of each measurement as it is made. */
  readonly say: (line: string) => void;
}

/**
 * @param warmUp what is run before anything counts, so that code is compiled and connections are open
 * @returns one row for each system of each round, in the order of the rounds
 */
export async function runRounds(
  warmUp: Omit<Round, 'systems'>,
  rounds: readonly Round[],
  { rig, say }: CaseOptions,
): Promise<readonly Row[]> {
  const used = rig.systems.filter(({ name }) => rounds.some(({ systems }) => systems.includes(name)));
  for (const system of used) {
    for (let time = 0; time < warmUp.times; time += 1) {
      const { completed } = await measure(system, warmUp.steps, warmUp.chains);
      if (!completed) throw new Error(`${system.name} did not come to the end of a chain of ${warmUp.steps} steps.`);
    }
  }
  const rows: Row[] = [];
  for (const { steps, chains, times, systems } of rounds) {
    const taking = used.filter(({ name }) => systems.includes(name));
    const measured: Row[] = [];
    for (let time = 0; time < times; time += 1) {
      // Who goes first changes, so that neither always finds the server as the other left it.
      for (const system of time % 2 === 0 ? taking : taking.toReversed()) {
        const row = await measure(system, steps, chains);
        say(`${row.system}, ${chains} × ${steps} steps: ${row.msPerStep} ms and ${row.cpuMsPerStep} ms of CPU a step`);
        measured.push(row);
      }
    }
    for (const { name } of taking) rows.push(medianRow(measured.filter(({ system }) => system === name)));
  }
  return rows;
}
