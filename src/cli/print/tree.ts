/** A chain as a tree: its head, then its steps. Of a long one the newest, and how to see those before. */

import { type Recorded, reasoningOf } from '../../client/read/recorded.js';
import { oneLine } from '../../core/lib/plain.js';
import type { ReasoningView } from '../../core/view/reasoning-view.js';
import { type Filter, matching, newest } from '../flags/filter.js';
import { type Colors, colorsFor } from '../terminal/colors.js';
import { wrapped } from '../terminal/text.js';
import { type Branch, treeLines } from './branch.js';
import { askedFor, failurePoint } from './failure-point.js';
import { groupsOf } from './groups.js';
import { headLines } from './head.js';
import { type Look, markOf } from './item-branch.js';
import { planLines } from './plan-lines.js';
import { stepBranch } from './step-branch.js';

/** Steps that are shown of a chain when nothing is said. */
const shownSteps = 50;
/** Steps beyond which a chain is longer than chains usually are. */
const usualSteps = 200;

interface Page {
  readonly color: boolean;
  readonly width: number;
  readonly now: number;
  /** As the person called the chain, to say how to see more of it. */
  readonly named: string;
  /** Ids of the chains that were forked off it. */
  readonly forks?: readonly string[];
  /** Whether its sub-chains can be opened: a file holds none of them. */
  readonly opens?: boolean;
}

export function treeText(recorded: Recorded, chain: ReasoningView, filter: Filter, page: Page): string {
  const c = colorsFor(page);
  const found = matching(chain.steps, filter);
  const { steps, older } = newest(found, filter.last ?? shownSteps);
  const look: Look = { c, chain, failure: failurePoint(reasoningOf(recorded), askedFor(recorded.chain)) };
  const branches = [...groupsOf(steps).map((group) => stepBranch(group, look)), ...askedBranch(look)];
  const lines = [
    ...headLines(chain, page.width, page.now, c),
    ...forkLines(page).map((line) => c.dim(line)),
    ...planLines(chain.plan, page.width, c),
    '',
    ...remarks(chain, filter, c),
    ...(older === 0 ? [] : [c.dim(olderText(older, stepsIn(steps), page.named))]),
    ...(found.length > 0
      ? []
      : [c.dim(chain.steps.length === 0 ? 'No step is complete yet.' : 'Nothing in it matches.')]),
    ...treeLines(branches, page.width, c.dim),
    ...foldedLines(chain, page).map((line) => c.dim(line)),
    ...partialLines(chain, page.width).map((line) => c.dim(line)),
  ];
  return `${lines.join('\n')}\n`;
}

function foldedLines({ children }: ReasoningView, { named, opens = false }: Page): readonly string[] {
  const folded = opens && Object.values(children).some((begun) => begun.some(({ level }) => level === 'summary'));
  return folded ? ['', `Sub-chains are folded: longhand chain show ${named} --depth 1, or --tree`] : [];
}

/** Of a step that never came there is nothing else to mark. */
function askedBranch(look: Look): readonly Branch[] {
  const { failure } = look;
  if (failure?.kind !== 'asked') return [];
  return [{ lines: () => [`The model was asked for step ${failure.step}.${markOf(look)}`], under: [] }];
}

function forkLines({ forks = [], width }: Page): readonly string[] {
  return forks.length === 0 ? [] : wrapped(`forked as ${forks.map(oneLine).join(', ')}`, width);
}

/** What stands before a long chain, and before one that is not shown whole. */
function remarks(chain: ReasoningView, { last }: Filter, c: Colors): readonly string[] {
  const total = stepsIn(chain.steps);
  const parted = chain.steps.some(({ level }) => level !== 'full');
  const lines = [
    ...(parted ? chain.progress.map((line) => `- ${line}`) : []),
    ...(total > shownSteps ? [chain.summary] : []),
    ...(total > usualSteps && last === null
      ? [c.yellow(`⚠ This chain is long: ${total} steps, where ${usualSteps} are usually enough.`)]
      : []),
  ];
  return lines.length === 0 ? [] : [...lines, ''];
}

function olderText(older: number, shown: number, named: string): string {
  const more = Math.min(older + shown, shown * 4);
  const all = `longhand chain show ${named} --all`;
  const some = more === older + shown ? all : `longhand chain show ${named} --last ${more}, or --all`;
  return `… ${older} older ${older === 1 ? 'step' : 'steps'}: ${some}`;
}

function stepsIn(steps: ReasoningView['steps']): number {
  return new Set(steps.filter(({ number }) => number > 0).map(({ number }) => number)).size;
}

/** What a chain that was stopped has to show, unless its summing-up stands in the tree. */
function partialLines({ partial, steps }: ReasoningView, width: number): readonly string[] {
  const told = steps.some((step) => step.kind === 'notice' && step.level === 'full' && step.notice === 'closing');
  if (partial === null || told) return [];
  return ['', 'What it had found:', ...wrapped(partial, width - 2).map((line) => `  ${line}`)];
}
