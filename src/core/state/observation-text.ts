/** What the model is shown of a call, whatever became of it. */

import { framed, inFrame } from '../lib/framed.js';
import { asText } from '../lib/json.js';
import type { Call, Chain } from '../model/chain.js';

/** What is said where a call brought no text of its own. */
const silent = {
  pending: '(no result yet)',
  ok: '(no output)',
  reused: '(no output)',
  error: 'it failed without a message.',
  not_run: 'this call was not run.',
  cancelled: 'this call was stopped before it ended.',
  abandoned: 'this call was told to stop and has not answered; it may still be running.',
  denied: 'A person denied this call; it was not run.',
  answered: '(no answer)',
  unknown: 'it is not known whether this call took effect. Do not repeat it before that is checked.',
} as const;

/** What is said of a call before its result, and the result: in our own words, or in those of a tool, an agent or a person. */
interface Observed {
  readonly note: string;
  readonly text: string;
  readonly isOurs: boolean;
}

/** What came of a call. A result that begins like one of our notes is framed, so that it is not taken for one. */
export function observationText(chain: Chain, call: Call): string {
  const { note, text, isOurs } = observed(chain, call);
  return note + (!isOurs && isLikeNote(text) ? framed(text) : text);
}

/** The same behind a label, in a text that others share: the result cannot leave its place (F1). */
export function labelledObservation(label: string, chain: Chain, call: Call): string {
  const { note, text, isOurs } = observed(chain, call);
  if (isOurs) return `${label}: ${note}${text}`;
  return `${label}: ${note}${isLikeNote(text) ? framed(text) : inFrame(text)}`;
}

function isLikeNote(text: string): boolean {
  return /^\s*\(/.test(text);
}

function observed(chain: Chain, call: Call): Observed {
  switch (call.status) {
    case 'pending':
      return { note: '', text: silent.pending, isOurs: true };
    case 'ok':
      return after(changed(call), good(call));
    case 'answered':
      return after(changed(call) + answered(call), good(call));
    case 'reused':
      return reused(chain, call);
    default:
      return after(changed(call), failed(call));
  }
}

function after(note: string, { note: own, ...rest }: Observed): Observed {
  return { note: note + own, ...rest };
}

/** The model asked for something else than what was run, and should not take the result for that. */
function changed({ changedFrom, input }: Call): string {
  return changedFrom === undefined ? '' : `(A person changed the arguments to ${asText(input)}.)\n`;
}

/** What a person says is not taken for what a tool has seen. Who is asked a question answers in person anyway. */
function answered({ requests }: Call): string {
  switch (requests?.at(-1)?.kind) {
    case 'approval':
      return '(Not run: a person answers instead.)\n';
    case 'outcome':
      return '(A person says that it happened.)\n';
    default:
      return '';
  }
}

/** A result that says it is an error already is not said to be one twice, and what a person denies is none. */
function failed(call: Call): Observed {
  const told = call.observation === null ? '' : asText(call.observation).trim();
  const isOurs = told === '';
  if (call.status === 'denied') return { note: '', text: isOurs ? silent.denied : told, isOurs };
  if (/^error\b/i.test(told)) return { note: '', text: told, isOurs };
  return { note: 'Error: ', text: isOurs ? silent[call.status] : told, isOurs };
}

function good(call: Call): Observed {
  const text = call.observation === null ? '' : asText(call.observation);
  const isOurs = text.trim() === '';
  return { note: '', text: isOurs ? silent[call.status === 'answered' ? 'answered' : 'ok'] : text, isOurs };
}

function reused(chain: Chain, call: Call): Observed {
  const number = Number.parseInt(call.reusedFrom ?? '', 10);
  const earlier = callAt(chain, number, call.reusedFrom);
  const shown = earlier === undefined || earlier.observation === null ? call : earlier;
  return after(Number.isNaN(number) ? '' : `(same as in step ${number}) `, good(shown));
}

/** Steps are numbered from 1 without gaps; only a chain that is cut short is searched. */
function callAt(chain: Chain, number: number, id: string | null): Call | undefined {
  const direct = chain.steps[number - 1];
  const step = direct?.number === number ? direct : chain.steps.find((each) => each.number === number);
  return step?.calls.find((each) => each.id === id);
}
