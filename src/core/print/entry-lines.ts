/**
 * A chain that is printed while it goes on: each entry as lines. L8: everything that was said in it passes through `Shown`,
 * which masks what is secret.
 */

import type { Json } from '../lib/json.js';
import type { AskKind } from '../model/ask.js';
import type { Call, Notice, Step } from '../model/chain.js';
import type { KnownTool } from '../model/origin.js';
import { controlTool } from '../state/control-tools.js';
import type { Entry, Settled } from '../state/entry.js';
import type { Shown } from '../view/snippet-masker.js';
import { toldOfEnd } from '../view/sub-chain.js';
import { childLine } from './child-lines.js';
import { callLine, noticeLine, resultLine, thoughtLines } from './item-lines.js';
import type { Line } from './line.js';
import { decisionLine, waitingLine } from './request-lines.js';

/** The most characters of a text, of the arguments of a call, and of a result. */
export interface Lengths {
  readonly text: number;
  readonly input: number;
  readonly result: number;
}

export const inFull: Lengths = { text: 200_000, input: 20_000, result: 4_000 };

export interface Around {
  readonly shown: Shown;
  readonly lengths: Lengths;
  readonly tools: readonly KnownTool[];
  /** Whether the chain works by a plan: then its tasks have lines of their own, and the calls that change it have none. */
  readonly plans: boolean;
}

/** Without the tools, by which steps are told. */
type Masking = Pick<Around, 'shown' | 'lengths'>;

type EntryOf<T extends Entry['type']> = Extract<Entry, { type: T }>;

/** None for an answer: it is at the end of the chain. */
export function stepEntryLines({ step }: EntryOf<'step'>, around: Around): readonly Line[] {
  const { calls } = step;
  const settled = calls.filter((call) => call.status !== 'pending');
  return [
    ...thoughtEntryLines(step, around),
    ...calls.filter((call) => isTold(call, around)).map((call) => entryCall(call, around)),
    ...settled.flatMap((call) => observationLines(call.tool, settledOf(call), around)),
  ];
}

export function thoughtEntryLines(
  { thought, problem }: Pick<Step, 'thought' | 'problem'>,
  { shown, lengths }: Masking,
): readonly Line[] {
  const text = (said: string | null) => (said === null ? null : shown.block(said, lengths.text));
  return thoughtLines({ thought: text(thought), problem: text(problem) });
}

/** What a call did to the plan, the tasks' own lines say. */
function isTold({ tool }: Pick<Call, 'tool'>, { plans }: Around): boolean {
  return !plans || controlTool(tool) === null;
}

function entryCall({ tool, input }: Call, { shown, tools, lengths }: Around): Line {
  const toolKind = tools.find(({ name }) => name === tool)?.view.kind ?? 'external';
  return callLine({ tool, toolKind, input: shownValue(shown, tool, input, lengths.input) });
}

/** A value of a tool with its members, as far as they are whole in what may be shown of it. */
function shownValue(shown: Shown, tool: string, value: Json, length: number): Json {
  const text = shown.value(tool, value, length);
  if (typeof value === 'string') return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

export function observationLines(tool: string, settled: Settled, around: Around): readonly Line[] {
  const { status, observation } = settled;
  if (status === 'ok' && !isTold({ tool }, around)) return [];
  // A decision says who denied it and why.
  if (status === 'denied') return [];
  const facts = status === 'reused' ? [`as in call ${observation}`] : [];
  const said = status === 'reused' ? '' : around.shown.value(tool, observation, around.lengths.result);
  return [resultLine({ status, observation: said }, facts)];
}

export function settledOf(call: Call): Settled {
  const { id, status, reusedFrom, observation, clippedFrom } = call;
  return { call: id, status, observation: status === 'reused' ? (reusedFrom ?? '') : observation, clippedFrom };
}

export function noticeEntryLine({ kind, text }: Notice, { shown, lengths }: Masking): Line {
  return noticeLine({ notice: kind, text: shown.reason(text, lengths.text) });
}

export function messageLine({ message: { by, text } }: EntryOf<'message'>, { shown, lengths }: Masking): Line {
  return noticeLine({
    notice: 'message',
    text: `${shown.line(by ?? 'The user', 100)}: ${shown.block(text, lengths.text)}`,
  });
}

export function askedLine(
  { tool, request: { kind, rules, expiresAt } }: EntryOf<'asked'>,
  { shown, lengths }: Masking,
): Line {
  const reason = shown.reason(rules.reason, lengths.text);
  return waitingLine({ ...rules, request: kind, tool: shown.line(tool, 200), reason, expiresAt }, 0);
}

/** @param request that it decides; null where that was not seen */
export function decidedLine(
  { tool, decided }: EntryOf<'decided'>,
  request: AskKind | null,
  { shown, lengths }: Masking,
): Line {
  const { input, by, reason } = decided;
  const changed = input === undefined ? {} : { changed: shownValue(shown, tool, input, lengths.input) };
  if (input !== undefined) shown.change({ tool, input });
  const said = {
    ...decided,
    by: by === null ? null : shown.reason(by, lengths.text),
    reason: reason === null ? null : shown.reason(reason, lengths.text),
  };
  return decisionLine({ request: request ?? 'approval', tool: shown.line(tool, 200), decided: said, ...changed });
}

export function chainBegunLine({ chain }: EntryOf<'chainBegun'>, { shown }: Pick<Around, 'shown'>): Line {
  const { chainId, agent, task } = chain;
  const begun = { state: 'running', outcome: null, steps: null, own: null, whole: null } as const;
  return childLine({ chainId, agent, ...begun }, shown.line(task, 1_000));
}

/** None where its own history is read first: it is told once that is. @param agent as it was begun */
export function chainEndedLines({ chainId, end }: EntryOf<'chainEnded'>, agent: string): readonly Line[] {
  const { chain: _, ...ended } = toldOfEnd(end);
  return ended.whole === null && ended.state !== 'not_begun' ? [] : [childLine({ chainId, agent, ...ended })];
}
