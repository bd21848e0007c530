/** What a watcher is told, as lines: each item once it is there, under the step that it belongs to. */

import type { WatchEvent } from '../../client/follow/watch.js';
import type { Position } from '../../client/read/read-chain.js';
import { oneLine, plain } from '../../core/lib/plain.js';
import type { ChildNews } from '../../core/view/child-news.js';
import type { StepView } from '../../core/view/reasoning-view.js';
import { subChainText } from '../../core/view/sub-chain-text.js';
import { colorsFor } from '../terminal/colors.js';
import type { Terminal } from '../terminal/terminal.js';
import { cut } from '../terminal/text.js';
import { approvalBranch } from './approval-branch.js';
import type { Branch } from './branch.js';
import { callIdOf } from './groups.js';
import { aboutLines, outcomeLines, spentText } from './head.js';
import { itemBranches, type Look } from './item-branch.js';
import { spokenFacts, stepHead } from './step-branch.js';

/** As a server's chain is told; in a file nothing has a place. */
export type Watched = WatchEvent extends infer E ? (E extends WatchEvent ? Omit<E, keyof Position> : never) : never;

/** @returns a function that gives the lines of one event, each ending in a line break, or nothing */
export function watchPrinter({ color, width }: Pick<Terminal, 'color' | 'width'>): (event: Watched) => string {
  const c = colorsFor({ color });
  /** What was printed of each item, and how many decisions of a request that told. */
  const known = new Map<string, { readonly text: string; readonly decisions: number }>();
  const steps: StepView[] = [];
  let model = '';
  let number = -1;
  let last = '';
  let speaking = '';

  const step = (item: StepView): string => {
    steps.push(item);
    const before = known.get(item.id);
    // A call is told again when it has ended: what came of it is its result's to tell.
    if (before !== undefined && item.kind !== 'approval') return '';
    const look: Look = { c, chain: { model, steps, children: {} }, failure: null };
    const branch = branchOf(item, look, before?.decisions ?? 0);
    // Of calls that ran together each result says whose it is.
    const ofCall = item.kind === 'tool_result' || item.kind === 'approval';
    const whose = ofCall && last !== callIdOf(item) ? `${callIdOf(item)} ` : '';
    const lines = branch?.lines(width - indent.length - whose.length) ?? [];
    const text = lines.join('\n');
    known.set(item.id, { text, decisions: decisionsIn(item) });
    if (before !== undefined && (text === '' || text === before.text)) return '';
    const head = item.number === number ? [] : [stepHead(item.number, spokenFacts(item, model), { c })];
    number = item.number;
    last = callIdOf(item);
    return ended([
      ...head,
      ...lines.map((line, at) => indent + (at === 0 ? c.dim(whose) : ' '.repeat(whose.length)) + line),
    ]);
  };

  const child = ({ chainId, agent, ...told }: ChildNews): string => {
    const text = `⇢ ${oneLine(agent)}  ${subChainText(told)}  ${oneLine(chainId)}`;
    if (text === known.get(chainId)?.text) return '';
    known.set(chainId, { text, decisions: 0 });
    return ended([`${indent}${c.blue(cut(text, width - indent.length))}`]);
  };

  const silence = (): string => {
    const end = speaking === '' ? '' : '\n';
    speaking = '';
    return end;
  };

  return (event) => {
    switch (event.type) {
      case 'started':
        model = event.view.model;
        return ended([...aboutLines(event.view, width, c), '']);
      case 'spoken': {
        // Another attempt, at the same step or the next, begins on a line of its own.
        const lead = event.call === speaking ? '' : `${silence()}${indent}`;
        speaking = event.call;
        return c.dim(lead + plain(event.text).replace(/\n+/g, `\n${indent}`));
      }
      case 'step':
        return silence() + step(event.step);
      case 'child':
        return silence() + child(event.child);
      case 'ended':
        return silence() + ended(['', ...outcomeLines(event.view, width, c), c.dim(spentText(event.view, 0))]);
    }
  };
}

const indent = '  ';

/** Of a request what has been said of it since. How often a call was begun is no news: it is told again when it has ended. */
function branchOf(item: StepView, look: Look, told: number): Branch | undefined {
  if (item.level === 'full' && item.kind === 'approval') return approvalBranch(item, look.c, told);
  return itemBranches('attempts' in item ? { ...item, attempts: null } : item, look)[0];
}

function decisionsIn(item: StepView): number {
  return item.level === 'full' && item.kind === 'approval' ? item.decisions.length : 0;
}

function ended(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
