/**
 * The task of every measured system: look up parts, one after the other or several in a step. Replies and observations are computed from the
 * number of the step, so that all systems receive the same.
 */

import type { ReplyBlock } from '../../src/core/model/model.js';
import { recordEffect } from './crash-records.js';

export const tool = {
  name: 'look_up_part',
  description: 'The entry of a part in the stock book: its shelves, and the pieces on each.',
  argument: { name: 'part', description: 'Number of the part, such as P-17' },
} as const;

/** The tool as the Messages API has it. */
export const messagesTool = {
  name: tool.name,
  description: tool.description,
  input_schema: {
    type: 'object' as const,
    properties: { [tool.argument.name]: { type: 'string', description: tool.argument.description } },
    required: [tool.argument.name],
    additionalProperties: false,
  },
};

export const instructions = 'You take stock. Look up the parts one at a time, then report that you are done.';
export const model = 'claude-sonnet-5-5';
/** The same with a window of this many tokens. */
export const narrowModel = 'narrow';
export const narrowTokens = 100_000;
export const maxTokens = 16_000;

/** An agent that only speaks, for the delay of its tokens. */
export const speaker = {
  name: 'speaker',
  instructions: 'You speak at an even pace.',
  model,
  strategy: 'tools',
  maxTokens,
} as const;

/** Bytes of an observation. */
export const observationBytes = 2_048;

const opening = 'Take stock of parts: ';

const leisure = ' Take your time.';

const pause = ' Pause, in milliseconds: ';

const batch = ' Look up at once: ';

interface TaskOptions {
  /** Whether the model thinks before each reply, so that many chains at once leave the machine room. Default: false. */
  readonly atLeisure?: boolean;
  /** Milliseconds that the model thinks before each reply. Default: 0. */
  readonly pauseMs?: number;
  /** Calls of a step. Default: 1. */
  readonly callsAtOnce?: number;
}

export function taskOf(steps: number, { atLeisure = false, pauseMs = 0, callsAtOnce = 1 }: TaskOptions = {}): string {
  const paused = pauseMs === 0 ? '' : `${pause}${pauseMs}`;
  return `${opening}${steps}${callsAtOnce === 1 ? '' : `${batch}${callsAtOnce}`}${paused}${atLeisure ? leisure : ''}`;
}

/** Finds the milliseconds that the model thinks before each reply. */
export function pauseAsked(body: Buffer): number {
  return findNumber(body, pause) ?? 0;
}

function findNumber(body: Buffer, label: string): number | null {
  const at = body.indexOf(label);
  return at < 0 ? null : Number.parseInt(body.toString('latin1', at + label.length, at + label.length + 9), 10);
}

export function isAtLeisure(body: Buffer): boolean {
  return body.includes(leisure);
}

/** Finds the number of steps that a request's task asks for. */
export function stepsAsked(body: Buffer): number {
  const steps = findNumber(body, opening);
  if (steps === null) throw new Error('The request does not hold the task of the benchmark.');
  return steps;
}

/** Finds how many parts a step looks up. */
export function callsAsked(body: Buffer): number {
  return findNumber(body, batch) ?? 1;
}

const callId = 'toolu_part_';

/** Finds the number of the last step in a request: its oldest ones may be summarized. */
export function stepsMade(body: Buffer): number {
  const at = body.lastIndexOf(callId);
  if (at < 0) return 0;
  const from = at + callId.length;
  return Number.parseInt(body.toString('latin1', from, from + 9), 10) / callsAsked(body);
}

/** Returns the reply of a step, from 1: a sentence and its calls, and after the last step the answer. */
export function replyAt(step: number, steps: number, callsAtOnce = 1): readonly ReplyBlock[] {
  if (step > steps) return [{ type: 'text', text: `All ${steps * callsAtOnce} parts are in the book.` }];
  const first = (step - 1) * callsAtOnce + 1;
  const parts = Array.from({ length: callsAtOnce }, (_, at) => first + at);
  return [
    { type: 'text', text: `Next I look up the entry of part P-${parts.join(', P-')} in the book.` },
    ...parts.map(
      (part): ReplyBlock => ({
        type: 'tool_use',
        id: `${callId}${part}`,
        name: tool.name,
        input: { [tool.argument.name]: `P-${part}` },
      }),
    ),
  ];
}

/** Returns the bytes of a step's reply, as the wire writes it. */
export function replyBytes(step: number): number {
  return Buffer.byteLength(JSON.stringify(replyAt(step, step)));
}

let lookUps = 0;

/** How many parts this process has looked up. */
export function lookUpsMade(): number {
  return lookUps;
}

export function lookUp(part: string): string {
  lookUps += 1;
  recordEffect(part);
  const seed = Number.parseInt(part.slice(2), 10);
  let page = '';
  for (let line = 1; page.length < observationBytes; line += 1) {
    page += `${part}, shelf ${line}: ${(seed * 7919 + line * 104_729) % 9_973} pieces; `;
  }
  return page.slice(0, observationBytes);
}
