/**
 * Shows a running chain: silently, as lines, or, for a chain with a plan, as a view that is redrawn at the bottom of the
 * terminal. Permanent lines are written above the view: ended tasks and calls, notices, messages and decisions of people.
 *
 * V1 During a prompt nothing is drawn: the view remains above the question and continues below it.
 * V2 The view never exceeds the terminal: lines that have scrolled out cannot be redrawn.
 */

import { createLogUpdate } from 'log-update';
import type { Task } from '../../core/model/index.js';
import { formatTaskLines } from '../../core/view/index.js';
import { cleanText, getColors } from '../terminal/colors.js';
import type { Terminal } from '../terminal/terminal.js';
import { ChainPrinter, type PrintItem } from './chain-printer.js';
import { formatFrame } from './frame.js';
import { createLiveLines, isRedrawable } from './live-lines.js';
import { createSceneReducer, type Scene } from './scene.js';
import { formatLineRows } from './terminal-lines.js';

/** The output of a command that runs a chain. */
export interface ChainDisplay extends Pick<Terminal, 'write' | 'report'> {
  readonly show: (event: PrintItem) => void;
  /** Stops drawing until the next event: a prompt follows, with the full request. */
  readonly pause: () => void;
  readonly close: () => void;
}

export interface DisplayOptions {
  /** Null: print nothing. */
  readonly output: Pick<Terminal, 'write' | 'color' | 'width'> | null;
  readonly report: (line: string) => void;
  /** Whether to redraw a view: the chain has a plan that the reader sees, and tokens are not printed. */
  readonly isRedrawn: boolean;
  /** Whether prompts show the requests. */
  readonly prompts: boolean;
  /** `calls`: only the calls, with their requests to people. Default: `chain`. */
  readonly shows?: 'chain' | 'calls' | undefined;
}

const noop = () => {};

export function createChainDisplay({
  output,
  report,
  isRedrawn,
  prompts,
  shows = 'chain',
}: DisplayOptions): ChainDisplay {
  if (output === null) return { show: noop, pause: noop, close: noop, write: noop, report };
  if (isRedrawn && isRedrawable()) {
    return openScreen({ terminal: { ...output, report }, stream: process.stdout, now: Date.now });
  }
  const printer = new ChainPrinter({ ...output, form: shows === 'calls' ? 'calls' : 'run', requests: !prompts });
  const lines = createLiveLines(output);
  return {
    show: (event) => {
      const text = printer.print(event);
      lines.show(event, shows === 'calls' && event.type === 'view-completed' ? '' : text);
    },
    pause: lines.clear,
    close: lines.clear,
    write: lines.write,
    report,
  };
}

/** Interval, in milliseconds, at which the elapsed time is redrawn. */
const redrawIntervalMs = 1_000;

export interface ScreenOptions {
  readonly terminal: Pick<Terminal, 'write' | 'report' | 'color' | 'width'>;
  readonly stream: NodeJS.WriteStream;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export function openScreen({ terminal, stream, now }: ScreenOptions): ChainDisplay {
  const c = getColors(terminal);
  const update = createLogUpdate(stream, { defaultWidth: terminal.width, showCursor: true });
  const printer = new ChainPrinter({ ...terminal, form: 'calls', requests: false });
  const reduce = createSceneReducer();
  let scene: Scene | null = null;
  let isPrompting = false;

  const draw = () => {
    if (scene === null || isPrompting) return;
    const room = { c, width: stream.columns || terminal.width, rows: stream.rows || 24, now: now() };
    update(cleanText(formatFrame(scene, room).join('\n')));
  };
  const above = (text: string, write: (text: string) => void) => {
    if (text === '') return;
    if (!isPrompting) update.clear();
    write(text);
    draw();
  };
  const timer = setInterval(draw, redrawIntervalMs);
  stream.on('resize', draw);
  /** Stops redrawing and leaves the last view on the screen. */
  const close = () => {
    clearInterval(timer);
    stream.off('resize', draw);
    draw();
    update.done();
    scene = null;
  };

  /** Lines of the tasks that have ended since the scene before. */
  const formatEndedTasks = (before: Scene | null, { plan }: Scene): string => {
    if (plan === null || plan === before?.plan) return '';
    const hasEnded = ({ status }: Task) => status === 'completed' || status === 'failed';
    const rows = formatTaskLines(before?.plan ?? null, plan, hasEnded).flatMap((line) =>
      formatLineRows(line, terminal.width, c),
    );
    return rows.map((row) => `${row}\n`).join('');
  };

  const show = (event: PrintItem) => {
    const text = printer.print(event);
    const before = scene;
    scene = reduce(event);
    // V1: the event after a prompt arrives once the request is handled.
    isPrompting = false;
    if (event.type === 'view-completed') {
      close();
      terminal.write(text);
      return;
    }
    above(formatEndedTasks(before, scene) + (event.type === 'interim-result' ? '' : text), terminal.write);
    draw();
  };

  return {
    show,
    pause: () => {
      update.done();
      isPrompting = true;
    },
    write: (text) => above(text, terminal.write),
    report: (line) => above(line, terminal.report),
    close,
  };
}
