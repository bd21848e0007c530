/** What the model is shown of a call, whatever became of it. */

import type { Call, Chain } from '../chain.js';
import { asText } from '../json.js';

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

export function observationText(chain: Chain, call: Call): string {
  switch (call.status) {
    case 'pending':
      return silent.pending;
    case 'ok':
      return changed(call) + good(call);
    case 'answered':
      return changed(call) + answered(call) + good(call);
    case 'reused':
      return reused(chain, call);
    default:
      return changed(call) + failed(call);
  }
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
function failed(call: Call): string {
  const told = call.observation === null ? '' : asText(call.observation).trim();
  if (call.status === 'denied') return told === '' ? silent.denied : told;
  if (/^error\b/i.test(told)) return told;
  return `Error: ${told === '' ? silent[call.status] : told}`;
}

function good(call: Call): string {
  const text = call.observation === null ? '' : asText(call.observation);
  return text.trim() === '' ? silent[call.status === 'answered' ? 'answered' : 'ok'] : text;
}

function reused(chain: Chain, call: Call): string {
  const number = Number.parseInt(call.reusedFrom ?? '', 10);
  const earlier = callAt(chain, number, call.reusedFrom);
  const shown = earlier === undefined || earlier.observation === null ? call : earlier;
  return Number.isNaN(number) ? good(shown) : `(same as in step ${number}) ${good(shown)}`;
}

/** Steps are numbered from 1 without gaps; only a chain that is cut short is searched. */
function callAt(chain: Chain, number: number, id: string | null): Call | undefined {
  const direct = chain.steps[number - 1];
  const step = direct?.number === number ? direct : chain.steps.find((each) => each.number === number);
  return step?.calls.find((each) => each.id === id);
}
