/**
 * A view of a chain with a plan that is drawn anew in its place at the foot of a terminal. What is to stay is written above
 * it: what has become of tasks, notices, what people said.
 *
 * V1 While somebody is asked at the terminal nothing is drawn: the view stands still above the question, and goes on below.
 * V2 However long it is, it is drawn within the terminal: lines that have left it cannot be drawn anew.
 */

import { createLogUpdate } from 'log-update';
import type { ChainEvent } from '../../client/follow/follow.js';
import type { Task } from '../../core/model/plan.js';
import { cleaned, colorsFor } from '../terminal/colors.js';
import type { Terminal } from '../terminal/terminal.js';
import { frameLines } from './frame.js';
import { chainPrinter } from './print-chain.js';
import { type Scene, sceneOf } from './scene.js';
import type { Showing } from './showing.js';
import { taskLines } from './task-lines.js';

/** How often the time is brought up to date, in milliseconds. */
const everyMs = 1_000;

/** What stays as it is printed. All else is in the view. */
const kept: ReadonlySet<ChainEvent['type']> = new Set(['notice', 'message', 'decided', 'chainBegun', 'chainEnded']);

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
    return taskLines(before?.plan ?? null, plan, { c, width: terminal.width, line: (text) => text, of })
      .map((line) => `${line}\n`)
      .join('');
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
