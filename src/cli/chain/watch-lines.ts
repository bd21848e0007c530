/** What a watcher is told, as lines: each item once it is there, under the step that it belongs to. */

import type { Position } from '../../client/read-chain.js';
import type { WatchEvent } from '../../client/watch.js';
import { plain } from '../../core/plain.js';
import type { StepView } from '../../core/reasoning-view.js';
import type { Terminal } from '../terminal.js';
import { colorsFor } from './colors.js';
import { aboutLines, outcomeLines, spentText } from './head.js';
import { itemBranches, type Look } from './item-branch.js';
import { spokenFacts, stepHead } from './step-branch.js';

/** As a server's chain is told; in a file nothing has a place. */
export type Watched = WatchEvent extends infer E ? (E extends WatchEvent ? Omit<E, keyof Position> : never) : never;

/** @returns a function that gives the lines of one event, each ending in a line break, or nothing */
export function watchPrinter({ color, width }: Pick<Terminal, 'color' | 'width'>): (event: Watched) => string {
  const c = colorsFor({ color });
  const known = new Set<string>();
  const steps: StepView[] = [];
  let model = '';
  let number = -1;
  let last = '';
  let speaking = '';

  const step = (item: StepView): string => {
    steps.push(item);
    // A call is told again when it has ended: what came of it is its result's to tell.
    if (known.has(item.id)) return '';
    known.add(item.id);
    const head = item.number === number ? [] : [stepHead(item.number, spokenFacts(item, model), { c })];
    number = item.number;
    const look: Look = { c, chain: { model, steps, children: {} }, failure: null };
    // How often it was begun is no news: it is told again when it has ended.
    const [branch] = itemBranches('attempts' in item ? { ...item, attempts: null } : item, look);
    // Of calls that ran together each result says whose it is.
    const whose = item.kind === 'tool_result' && last !== callOf(item) ? `${callOf(item)} ` : '';
    last = item.id;
    const lines = branch?.lines(width - indent.length - whose.length) ?? [];
    return ended([
      ...head,
      ...lines.map((line, at) => indent + (at === 0 ? c.dim(whose) : ' '.repeat(whose.length)) + line),
    ]);
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
      case 'ended':
        return silence() + ended(['', ...outcomeLines(event.view, width, c), c.dim(spentText(event.view, 0))]);
    }
  };
}

const indent = '  ';

/** A result's id is its call's with an `r`. */
function callOf({ id }: StepView): string {
  return id.slice(0, -1);
}

function ended(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
