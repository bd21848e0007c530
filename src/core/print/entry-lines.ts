/**
 * A chain that is printed while it goes on: each entry as lines. L8: everything that was said in it passes through `Shown`,
 * which masks what is secret.
 */

import type { Json } from '../lib/json.js';
import type { AskKind } from '../model/ask.js';
import type { Call, Notice } from '../model/chain.js';
import type { KnownTool } from '../model/origin.js';
import { controlTool } from '../state/control-tools.js';
import type { Entry, Settled } from '../state/entry.js';
import type { Shown } from '../view/snippet-masker.js';
import { toldOfEnd } from '../view/sub-chain.js';
import { childLine } from './child-lines.js';
import { callLine, noticeLine, resultLine, thoughtLines } from './item-lines.js';
import type { Line } from './line.js';
import { decisionLine, waitingLine } from './request-lines.js';

/** Characters of one text, of the arguments of a call, and of a result. */
const [longest, longestArguments, longestResult] = [200_000, 20_000, 4_000];

export interface Around {
  readonly shown: Shown;
  readonly tools: readonly KnownTool[];
  /** Whether the chain works by a plan: then its tasks have lines of their own, and the calls that change it have none. */
  readonly plans: boolean;
}

type EntryOf<T extends Entry['type']> = Extract<Entry, { type: T }>;

/** None for an answer: it is at the end of the chain. */
export function stepEntryLines({ step }: EntryOf<'step'>, around: Around): readonly Line[] {
  const { thought, problem, calls } = step;
  const text = (said: string | null) => (said === null ? null : around.shown.block(said, longest));
  const settled = calls.filter((call) => call.status !== 'pending');
  return [
    ...thoughtLines({ thought: text(thought), problem: text(problem) }),
    ...calls.filter((call) => isTold(call, around)).map((call) => entryCall(call, around)),
    ...settled.flatMap((call) => observationLines(call.tool, settledOf(call), around)),
  ];
}

/** What a call did to the plan, the tasks' own lines say. */
function isTold({ tool }: Pick<Call, 'tool'>, { plans }: Around): boolean {
  return !plans || controlTool(tool) === null;
}

function entryCall({ tool, input }: Call, { shown, tools }: Around): Line {
  const toolKind = tools.find(({ name }) => name === tool)?.view?.kind ?? 'external';
  return callLine({ tool, toolKind, input: shownValue(shown, tool, input) });
}

/** A value of a tool with its members, as far as they are whole in what may be shown of it. */
function shownValue(shown: Shown, tool: string, value: Json): Json {
  const text = shown.value(tool, value, longestArguments);
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
  const said = status === 'reused' ? '' : around.shown.value(tool, observation, longestResult);
  return [resultLine({ status, observation: said }, facts)];
}

function settledOf(call: Call): Settled {
  const { id, status, reusedFrom, observation, clippedFrom } = call;
  return { call: id, status, observation: status === 'reused' ? (reusedFrom ?? '') : observation, clippedFrom };
}

export function noticeEntryLine({ kind, text }: Notice, { shown }: Pick<Around, 'shown'>): Line {
  return noticeLine({ notice: kind, text: shown.reason(text, longest) });
}

export function messageLine({ message: { by, text } }: EntryOf<'message'>, { shown }: Pick<Around, 'shown'>): Line {
  return noticeLine({
    notice: 'message',
    text: `${shown.line(by ?? 'The user', 100)}: ${shown.block(text, longest)}`,
  });
}

export function askedLine(
  { tool, request: { kind, rules, expiresAt } }: EntryOf<'asked'>,
  { shown }: Pick<Around, 'shown'>,
): Line {
  const reason = shown.reason(rules.reason, longest);
  return waitingLine({ ...rules, request: kind, tool: shown.line(tool, 200), reason, expiresAt }, 0);
}

/** @param request that it decides; null where that was not seen */
export function decidedLine(
  { tool, decided }: EntryOf<'decided'>,
  request: AskKind | null,
  { shown }: Pick<Around, 'shown'>,
): Line {
  const { input, by, reason } = decided;
  const changed = input === undefined ? {} : { changed: shownValue(shown, tool, input) };
  if (input !== undefined) shown.change({ tool, input });
  const said = {
    ...decided,
    by: by === null ? null : shown.reason(by, longest),
    reason: reason === null ? null : shown.reason(reason, longest),
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
