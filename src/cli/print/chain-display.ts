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
import { cleanText, getColors } from '../terminal/colors.js';
import type { Terminal } from '../terminal/terminal.js';
import { formatFrame } from './frame.js';
import { createChainPrinter } from './print-chain.js';
import { createSceneReducer, type Scene } from './scene.js';
import { formatLineRows } from './terminal-lines.js';

/** What a command that runs a chain shows of it, whichever way. */
export interface ChainDisplay extends Pick<Terminal, 'write' | 'report'> {
  readonly show: (event: ChainEvent) => void;
  /** Instead, of an event that somebody is about to be asked about at the terminal: the question shows all of it. */
  readonly showBeforePrompt: (event: ChainEvent) => void;
  readonly close: () => void;
}

export interface DisplayOptions {
  /** Null for silence. */
  readonly output: Pick<Terminal, 'write' | 'color' | 'width'> | null;
  readonly report: (line: string) => void;
  /** Whether there is something to draw: a plan, and no tokens as they are spoken. */
  readonly isRedrawn: boolean;
}

const noop = () => {};

export function createChainDisplay({ output, report, isRedrawn }: DisplayOptions): ChainDisplay {
  if (output === null) return { show: noop, showBeforePrompt: noop, close: noop, write: noop, report };
  const { stdout } = process;
  if (isRedrawn && stdout.isTTY && process.env.TERM !== 'dumb') {
    return openScreen({ terminal: { ...output, report }, stream: stdout, now: Date.now });
  }
  const print = createChainPrinter(output);
  return {
    show: (event) => output.write(print(event)),
    showBeforePrompt: noop,
    close: noop,
    write: output.write,
    report,
  };
}

/** How often the time is brought up to date, in milliseconds. */
const redrawIntervalMs = 1_000;

/** What stays as it is printed. All else is in the view. */
const permanentTypes: ReadonlySet<ChainEvent['type']> = new Set([
  'notice-added',
  'message-received',
  'request-decided',
  'sub-chain-started',
  'sub-chain-ended',
]);

export interface ScreenOptions {
  readonly terminal: Pick<Terminal, 'write' | 'report' | 'color' | 'width'>;
  readonly stream: NodeJS.WriteStream;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export function openScreen({ terminal, stream, now }: ScreenOptions): ChainDisplay {
  const c = getColors(terminal);
  const update = createLogUpdate(stream, { defaultWidth: terminal.width, showCursor: true });
  const print = createChainPrinter(terminal);
  const look = createSceneReducer();
  let scene: Scene | null = null;
  let asking = false;

  const draw = () => {
    if (scene === null || asking) return;
    const room = { c, width: stream.columns || terminal.width, rows: stream.rows || 24, now: now() };
    update(cleanText(formatFrame(scene, room).join('\n')));
  };
  const above = (text: string, write: (text: string) => void) => {
    if (text === '') return;
    if (!asking) update.clear();
    write(text);
    draw();
  };
  const timer = setInterval(draw, redrawIntervalMs);
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
    const rows = formatTaskLines(before?.plan ?? null, plan, of).flatMap((line) =>
      formatLineRows(line, terminal.width, c),
    );
    return rows.map((row) => `${row}\n`).join('');
  };

  const see = (event: ChainEvent) => {
    // All of them go through the printer: it keeps in mind which secrets were seen.
    const text = print(event);
    const before = scene;
    scene = look(event);
    // V1: what comes after a question comes once it is dealt with.
    asking = false;
    if (event.type === 'chain-ended') {
      close();
      terminal.write(text);
      return;
    }
    above(endedIn(before, scene) + (permanentTypes.has(event.type) ? text : ''), terminal.write);
    draw();
  };

  return {
    show: see,
    showBeforePrompt: (event) => {
      see(event);
      update.done();
      asking = true;
    },
    write: (text) => above(text, terminal.write),
    report: (line) => above(line, terminal.report),
    close,
  };
}
