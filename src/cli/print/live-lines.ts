/**
 * The interim results of running calls: a line each at the bottom of a terminal, replaced in place. Permanent text is
 * written above them. A pipe gets the permanent text only.
 */

import { createLogUpdate } from 'log-update';
import type { FollowEvent } from '../../client/follow/event.js';
import { toCallId } from '../../core/print/groups.js';
import { cleanText } from '../terminal/colors.js';
import type { Terminal } from '../terminal/terminal.js';
import type { WatchItem } from './watch-lines.js';

export interface LiveLines {
  /** Writes the text of an event: as the line of its call, or as permanent text. */
  readonly show: (event: FollowEvent | WatchItem, text: string) => void;
  /** Writes permanent text. */
  readonly write: (text: string) => void;
  /** Removes the lines. */
  readonly clear: () => void;
}

/** Rows for lines. More calls run unseen. */
const maxLines = 8;

/** Whether lines can be replaced: not in a pipe or a file. */
export function isRedrawable(stream: NodeJS.WriteStream = process.stdout): boolean {
  return stream.isTTY === true && process.env.TERM !== 'dumb';
}

export function createLiveLines(
  { write: writePermanent, width }: Pick<Terminal, 'write' | 'width'>,
  stream: NodeJS.WriteStream = process.stdout,
): LiveLines {
  const update = isRedrawable(stream) ? createLogUpdate(stream, { defaultWidth: width, showCursor: true }) : null;
  const lines = new Map<string, string>();
  let isDrawn = false;
  /** Whether the permanent text ends with a line break: tokens do not. */
  let isAtLineStart = true;

  const erase = () => {
    if (isDrawn) update?.clear();
    isDrawn = false;
  };
  const draw = () => {
    if (update === null || !isAtLineStart) return;
    if (lines.size === 0) return erase();
    update(cleanText([...lines.values()].slice(0, maxLines).join('\n')));
    isDrawn = true;
  };
  const write = (text: string) => {
    if (text === '') return draw();
    erase();
    writePermanent(text);
    isAtLineStart = text.endsWith('\n');
    draw();
  };
  const clear = () => {
    lines.clear();
    erase();
  };
  return {
    show: (event, text) => {
      if (event.type !== 'interim-result') {
        const ended = findEndedCalls(event);
        if (ended === 'all') lines.clear();
        else for (const call of ended) lines.delete(call);
        write(text);
        return;
      }
      if (text === '') lines.delete(event.call);
      else lines.set(event.call, text.trimEnd());
      draw();
    },
    write,
    clear,
  };
}

/** Returns the calls whose lines an event removes. */
function findEndedCalls(event: FollowEvent | WatchItem): readonly string[] | 'all' {
  switch (event.type) {
    case 'call-completed':
      return [event.result.call];
    case 'step-changed':
      if (event.step.kind === 'tool_result') return [toCallId(event.step)];
      return event.step.kind === 'thinking' ? 'all' : [];
    case 'step-added':
    case 'chain-ended':
    case 'view-completed':
      return 'all';
    default:
      return [];
  }
}
