/**
 * How the command that runs a chain shows it: not at all, as lines one below the other, or, where it works by a plan, as a
 * view that is redrawn at the foot of the terminal. Lines that are to stay are written above that view: tasks that have
 * ended, notices, what people said.
 *
 * V1 While somebody is asked at the terminal nothing is drawn: the view stands still above the question, and goes on below.
 * V2 However long it is, it is drawn within the terminal: lines that have left it cannot be drawn anew.
 */

import { createLogUpdate } from 'log-update';
import type { ChainEvent } from '../../client/follow/follow.js';
import type { Task } from '../../core/model/plan.js';
import { formatTaskLines } from '../../core/print/plan-lines.js';
import { cleaned, colorsFor } from '../terminal/colors.js';
import type { Terminal } from '../terminal/terminal.js';
import { frameLines } from './frame.js';
import { chainPrinter } from './print-chain.js';
import { type Scene, sceneOf } from './scene.js';
import { rowsOf } from './terminal-lines.js';

/** What a command that runs a chain shows of it, whichever way. */
export interface Showing extends Pick<Terminal, 'write' | 'say'> {
  readonly see: (event: ChainEvent) => void;
  /** Instead, of an event that somebody is about to be asked about at the terminal: the question shows all of it. */
  readonly ask: (event: ChainEvent) => void;
  readonly close: () => void;
}

export interface ShowOptions {
  /** Null for silence. */
  readonly live: Pick<Terminal, 'write' | 'color' | 'width'> | null;
  readonly say: (line: string) => void;
  /** Whether there is something to draw: a plan, and no tokens as they are spoken. */
  readonly drawn: boolean;
}

const nothing = () => {};

export function showChain({ live, say, drawn }: ShowOptions): Showing {
  if (live === null) return { see: nothing, ask: nothing, close: nothing, write: nothing, say };
  const { stdout } = process;
  if (drawn && stdout.isTTY && process.env.TERM !== 'dumb') {
    return openScreen({ terminal: { ...live, say }, stream: stdout, now: Date.now });
  }
  const print = chainPrinter(live);
  return { see: (event) => live.write(print(event)), ask: nothing, close: nothing, write: live.write, say };
}

/** How often the time is brought up to date, in milliseconds. */
const everyMs = 1_000;

/** What stays as it is printed. All else is in the view. */
const kept: ReadonlySet<ChainEvent['type']> = new Set([
  'notice-added',
  'message-received',
  'request-decided',
  'sub-chain-started',
  'sub-chain-ended',
]);

export interface ScreenOptions {
  readonly terminal: Pick<Terminal, 'write' | 'say' | 'color' | 'width'>;
  readonly stream: NodeJS.WriteStream;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export function openScreen({ terminal, stream, now }: ScreenOptions): Showing {
  const c = colorsFor(terminal);
  const update = createLogUpdate(stream, { defaultWidth: terminal.width, showCursor: true });
  const print = chainPrinter(terminal);
  const look = sceneOf();
  let scene: Scene | null = null;
  let asking = false;

  const draw = () => {
    if (scene === null || asking) return;
    const room = { c, width: stream.columns || terminal.width, rows: stream.rows || 24, now: now() };
    update(cleaned(frameLines(scene, room).join('\n')));
  };
  const above = (text: string, write: (text: string) => void) => {
    if (text === '') return;
    if (!asking) update.clear();
    write(text);
    draw();
  };
  const timer = setInterval(draw, everyMs);
  stream.on('resize', draw);
  /** The last view stays. */
  const close = () => {
    clearInterval(timer);
    stream.off('resize', draw);
    draw();
    update.done();
    scene = null;
  };

  /** Of tasks that have ended. */
  const endedIn = (before: Scene | null, { plan }: Scene): string => {
    if (plan === null || plan === before?.plan) return '';
    const of = ({ status }: Task) => status === 'completed' || status === 'failed';
    const rows = formatTaskLines(before?.plan ?? null, plan, of).flatMap((line) => rowsOf(line, terminal.width, c));
    return rows.map((row) => `${row}\n`).join('');
  };

  const see = (event: ChainEvent) => {
    // All of them go through the printer: it keeps in mind which secrets were seen.
    const text = print(event);
    const before = scene;
    scene = look(event);
    // V1: what comes after a question comes once it is dealt with.
    asking = false;
    if (event.type === 'ended') {
      close();
      terminal.write(text);
      return;
    }
    above(endedIn(before, scene) + (kept.has(event.type) ? text : ''), terminal.write);
    draw();
  };

  return {
    see,
    ask: (event) => {
      see(event);
      update.done();
      asking = true;
    },
    write: (text) => above(text, terminal.write),
    say: (line) => above(line, terminal.say),
    close,
  };
}
