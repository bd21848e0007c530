/**
 * What is replaced in place at the bottom of a terminal: the tokens of a reply until its step is printed, and a line for the
 * interim result of each running call. Permanent text is written above. A pipe gets permanent text and tokens, which end
 * with `…` where the step follows before the last of them.
 */

import { createLogUpdate } from 'log-update';
import { toCallId } from '../../core/view/index.js';
import { cleanText } from '../terminal/colors.js';
import type { Terminal } from '../terminal/terminal.js';
import { indent, type WatchItem } from './chain-printer.js';

export interface LiveLines {
  /** Writes the text of an event: as the line of its call, or as permanent text. */
  readonly show: (event: WatchItem, text: string) => void;
  /** Writes permanent text. */
  readonly write: (text: string) => void;
  /** Removes the lines. */
  readonly clear: () => void;
}

/** Rows for lines. More calls run unseen. */
const maxLines = 8;
/** Characters of tokens that are redrawn: more than a terminal has room for. */
const maxTokenCharacters = 8_000;

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
  /** The model call whose tokens arrive; null between replies. */
  let tokenCall: string | null = null;
  /** Its tokens so far, in a terminal. */
  let tokens: string[] = [];

  const erase = () => {
    if (isDrawn) update?.clear();
    isDrawn = false;
  };
  const draw = () => {
    if (update === null) return;
    const rows = [...(tokens.length === 0 ? [] : [tokens.join('')]), ...[...lines.values()].slice(0, maxLines)];
    if (rows.length === 0) return erase();
    update(cleanText(rows.join('\n')));
    isDrawn = true;
  };
  const write = (text: string) => {
    if (text === '') return draw();
    erase();
    writePermanent(text);
    draw();
  };
  const endTokens = () => {
    if (tokenCall !== null && update === null) writePermanent(' …\n');
    tokenCall = null;
    tokens = [];
  };
  const showToken = (call: string, text: string) => {
    if (text === '') return;
    if (call !== tokenCall) endTokens();
    const piece = tokenCall === null ? indent + text : text;
    tokenCall = call;
    if (update === null) return void writePermanent(piece);
    tokens.push(piece);
    while (tokens.length > 1 && tokens.join('').length > maxTokenCharacters) tokens.shift();
    draw();
  };
  const clear = () => {
    endTokens();
    lines.clear();
    erase();
  };
  return {
    show: (event, text) => {
      if (event.type === 'token') return showToken(event.call, text);
      if (event.type !== 'interim-result') {
        const ended = findEndedCalls(event);
        if (ended === 'all') lines.clear();
        else for (const call of ended) lines.delete(call);
        if (ended === 'all' || text !== '') endTokens();
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
function findEndedCalls(event: WatchItem): readonly string[] | 'all' {
  switch (event.type) {
    case 'step-changed':
      if (event.step.kind === 'tool_result') return [toCallId(event.step)];
      return event.step.kind === 'thinking' ? 'all' : [];
    case 'view-completed':
      return 'all';
    default:
      return [];
  }
}
