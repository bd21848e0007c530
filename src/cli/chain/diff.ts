/** `longhand chain diff`: where two chains part, and both side by side from there. */

import { shorten } from '../../core/lib/display.js';
import { type Json, toValueText } from '../../core/lib/json.js';
import { toOneLine } from '../../core/lib/plain-text.js';
import { formatStepTrees } from '../../core/print/step-lines.js';
import type { ReasoningView } from '../../core/view/reasoning-view.js';
import { findRecorded } from '../access/find.js';
import { noteView, viewedOf } from '../access/note-view.js';
import { withServer } from '../access/open.js';
import { type ViewFlags, viewing } from '../access/viewed.js';
import { treeRows } from '../print/terminal-lines.js';
import { type Colors, cleaned, colorsFor } from '../terminal/colors.js';
import { jsonLine, type Terminal } from '../terminal/terminal.js';
import { columns } from '../terminal/text.js';
import { type Comparison, compare, type Difference } from './first-difference.js';

export interface DiffFlags extends ViewFlags {
  readonly exitCode?: boolean;
  readonly json?: boolean;
}

/** Steps that are shown side by side. */
const shown = 3;

/** Resolves to 0 also when they differ, as `git diff` does, unless `--exit-code` is given. */
export async function diff(
  terminal: Terminal,
  named: readonly [a: string, b: string],
  flags: DiffFlags,
): Promise<number> {
  const seen = viewing(flags);
  return withServer(async (connect) => {
    const look = async (one: string) => {
      const recorded = await findRecorded(one, connect);
      await noteView({ role: seen.role, command: 'chain diff', named: one }, [viewedOf(recorded)]);
      return seen.recorded(recorded);
    };
    const [a, b] = [await look(named[0]), await look(named[1])];
    const compared = compare(a, b);
    terminal.write(flags.json ? jsonLine(compared) : text(compared, [a, b], terminal));
    return flags.exitCode && !compared.equal ? 1 : 0;
  });
}

type Pair = readonly [a: ReasoningView, b: ReasoningView];

function text({ firstDifference, stepsA, stepsB }: Comparison, pair: Pair, terminal: Terminal): string {
  const c = colorsFor(terminal);
  if (firstDifference === null) {
    return `No difference: ${stepsA} ${stepsA === 1 ? 'step' : 'steps'}, ${pair[0].outcome ?? 'still running'}.\n`;
  }
  const half = Math.floor((terminal.width - 3) / 2);
  const [left, right] = pair.map((chain) => sideOf(chain, firstDifference.step, half, c)) as [Side, Side];
  const rows = Array.from({ length: Math.max(left.length, right.length) }, (_, at) => {
    return `${padded(left[at] ?? '', half)} ${c.dim('│')} ${right[at] ?? ''}`.trimEnd();
  });
  const same = firstDifference.step - (firstDifference.what === 'end' && stepsA === stepsB ? 0 : 1);
  const head = [
    c.bold(sentence(firstDifference, [stepsA, stepsB])),
    ...(same > 0
      ? [c.dim(`The ${same === 1 ? 'step' : `${same} steps`} before ${same === 1 ? 'is' : 'are'} the same.`)]
      : []),
    '',
  ];
  return `${[...head, ...rows].join('\n')}\n`;
}

type Side = readonly string[];

function sideOf(chain: ReasoningView, from: number, width: number, c: Colors): Side {
  const steps = chain.steps.filter(({ number }) => number >= from && number < from + shown);
  const last = Math.max(0, ...chain.steps.map(({ number }) => number));
  const more = last - (from + shown - 1);
  return [
    c.bold(shorten(toOneLine(chain.chainId), width)),
    c.dim(shorten(`${last} ${last === 1 ? 'step' : 'steps'}, ${chain.outcome ?? chain.state}`, width)),
    ...treeRows(formatStepTrees(chain, steps), width, c),
    ...(more > 0 ? [c.dim(`… ${more} more`)] : []),
  ];
}

function sentence({ step, what, a, b }: Difference, [stepsA, stepsB]: readonly [number, number]): string {
  if (what !== 'end') return `They part at step ${step}: the ${what} ${what.endsWith('s') ? 'differ' : 'differs'}.`;
  if (stepsA !== stepsB) return `One goes on at step ${step}, the other has no more.`;
  return `The steps are the same, the ends are not: ${word(a)} and ${word(b)}.`;
}

function word(value: Json): string {
  return toOneLine(toValueText(value));
}

function padded(line: string, width: number): string {
  return line + ' '.repeat(Math.max(0, width - columns(cleaned(line))));
}
