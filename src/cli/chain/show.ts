/** `longhand chain show`: a chain as a tree, or one of its steps whole. */

import { toReasoning } from '../../client/read/recorded-chain.js';
import { readWithSubChains } from '../../client/read/sub-chains.js';
import type { ReasoningView } from '../../core/view/reasoning-view.js';
import { findRecorded, isFile } from '../access/find.js';
import { noteView, viewedOf } from '../access/note-view.js';
import { withServer } from '../access/open.js';
import { type ViewFlags, viewing } from '../access/viewed.js';
import { type FilterFlags, filterOf, matching, newest } from '../flags/filter.js';
import { UsageError } from '../flags/usage-error.js';
import { wholeNumber } from '../flags/values.js';
import { treeText, wholeStepText } from '../print/tree.js';
import { colorsFor } from '../terminal/colors.js';
import { jsonLine, type Terminal } from '../terminal/terminal.js';

export interface ShowFlags extends FilterFlags, ViewFlags {
  readonly step?: string;
  readonly depth?: string;
  readonly tree?: boolean;
  readonly json?: boolean;
}

export async function show(terminal: Terminal, named: string, flags: ShowFlags): Promise<number> {
  const filter = filterOf(flags, Date.now());
  const number = flags.step === undefined ? null : wholeNumber('--step', flags.step);
  const seen = viewing(flags);
  const depth = depthOf(flags);
  return withServer(async (connect) => {
    const recorded = await findRecorded(named, connect);
    await noteView({ role: seen.role, command: 'chain show', named }, [viewedOf(recorded)]);
    const longhand = isFile(named) ? null : await connect();
    const reasoning =
      longhand === null ? toReasoning(recorded) : await readWithSubChains(longhand.client, recorded, depth);
    const chain = seen.reasoning(reasoning);
    const forks = longhand === null ? [] : await longhand.listForks(recorded.chainId);
    if (longhand === null && depth > 0) terminal.say('A file holds one chain: its sub-chains are not in it.');
    if (number !== null) return showStep(terminal, chain, number, flags.json === true);
    if (flags.json) {
      const { steps } = newest(matching(chain.steps, filter), filter.last ?? 'all');
      terminal.write(jsonLine({ ...chain, forks, steps }));
    } else {
      terminal.write(
        treeText(recorded, chain, filter, { ...terminal, now: Date.now(), named, forks, opens: longhand !== null }),
      );
    }
    return 0;
  });
}

/** Levels of sub-chains that are opened. @throws UsageError */
function depthOf({ depth, tree }: Pick<ShowFlags, 'depth' | 'tree'>): number {
  if (tree && depth !== undefined) throw new UsageError('--tree and --depth exclude one another.');
  if (tree) return Number.POSITIVE_INFINITY;
  return depth === undefined ? 0 : wholeNumber('--depth', depth);
}

function showStep(terminal: Terminal, chain: ReasoningView, number: number, json: boolean): number {
  const steps = chain.steps.filter((step) => step.number === number);
  const last = Math.max(0, ...chain.steps.map((step) => step.number));
  if (steps.length === 0) {
    const there = last === 0 ? 'it has none yet' : `it has steps 1 to ${last}`;
    throw new Error(`The chain has no step ${number}: ${there}.`);
  }
  if (json) terminal.write(jsonLine(steps));
  else terminal.write(wholeStepText(steps, chain, colorsFor(terminal)));
  return 0;
}
