/** `longhand chain show`: a chain as a tree, or one of its steps whole. */

import type { ReasoningView } from '../../core/reasoning-view.js';
import type { Terminal } from '../terminal.js';
import { colorsFor } from './colors.js';
import { type FilterFlags, filterOf, matching, newest } from './filter.js';
import { findRecorded, isFile } from './find.js';
import { wholeNumber } from './numbers.js';
import { withServer } from './open.js';
import { stepLines } from './step-whole.js';
import { treeText } from './tree.js';
import { type ViewFlags, viewing } from './viewed.js';

export interface ShowFlags extends FilterFlags, ViewFlags {
  readonly step?: string;
  readonly json?: boolean;
}

export async function show(terminal: Terminal, named: string, flags: ShowFlags): Promise<number> {
  const filter = filterOf(flags, Date.now());
  const number = flags.step === undefined ? null : wholeNumber('--step', flags.step);
  const seen = viewing(flags);
  return withServer(async (connect) => {
    const recorded = await findRecorded(named, connect);
    const chain = seen.recorded(recorded);
    const forks = isFile(named) ? [] : await (await connect()).forksOf(recorded.chainId);
    if (number !== null) return showStep(terminal, chain, number, flags.json === true);
    if (flags.json) {
      const { steps } = newest(matching(chain.steps, filter), filter.last ?? 'all');
      terminal.write(`${JSON.stringify({ ...chain, forks, steps })}\n`);
    } else {
      terminal.write(treeText(recorded, chain, filter, { ...terminal, now: Date.now(), named, forks }));
    }
    return 0;
  });
}

function showStep(terminal: Terminal, chain: ReasoningView, number: number, json: boolean): number {
  const steps = chain.steps.filter((step) => step.number === number);
  const last = Math.max(0, ...chain.steps.map((step) => step.number));
  if (steps.length === 0) {
    const there = last === 0 ? 'it has none yet' : `it has steps 1 to ${last}`;
    throw new Error(`The chain has no step ${number}: ${there}.`);
  }
  if (json) terminal.write(`${JSON.stringify(steps)}\n`);
  else terminal.write(`${stepLines(steps, chain, colorsFor(terminal)).join('\n')}\n`);
  return 0;
}
