/**
 * What a chain waits for from a person, in the current details of the Web UI: what is asked, and how it is answered, from
 * the command line and with Temporal's own tools. Whoever copies a line from here is understood.
 */

import { messageNames } from '../../contract/names.js';
import type { Json } from '../../core/lib/json.js';
import { showInvisible } from '../../core/lib/plain.js';
import { type Ask, choicesIn, questionIn, rolesOf } from '../../core/model/ask.js';
import type { State } from '../../core/model/state.js';
import { code, list, quote } from '../../core/print/markdown.js';
import { type WaitingCall, waiting } from '../../core/state/asks-due.js';
import { askFacts, decideCommands } from '../../core/state/decided-text.js';
import * as reasons from '../../core/state/reasons.js';
import type { Shown } from '../../core/view/snippet-masker.js';

/** Characters of the arguments or the question: what is decided on has to be read. */
const longest = 2_000;

export function toDo(state: State, shown: Shown): readonly string[] {
  if (state.stop !== null) return [];
  const calls = waiting(state).map((call) => asked(state, call, shown));
  return state.held === null ? calls : [...calls, paused(state, state.held, shown)];
}

function asked({ chainId, now }: State, call: WaitingCall, shown: Shown): string {
  const { id, ask } = call;
  const { rules, expiresAt, kind } = ask;
  const roles = rolesOf(ask, now);
  const facts = askFacts({ ...rules, request: kind, roles, expiresAt, approved: ask.votes.length });
  return [
    [`**${titles[kind]} · call ${id}**`, ...facts].join(' · '),
    ...what(call, shown),
    list([
      ...decideCommands(kind, chainId, id, roles).map(code),
      send(updates[kind], {
        call: id,
        ...examples[kind],
        by: 'you',
        ...(roles.length === 0 ? {} : { roles: roles.slice(0, 1) }),
      }),
    ]),
  ].join('\n\n');
}

const titles = {
  approval: 'Waits for approval',
  outcome: 'Did this happen?',
  question: 'Waits for an answer',
} as const satisfies { readonly [kind in Ask['kind']]: string };

const updates = {
  approval: ['approve', 'deny'],
  outcome: ['outcome'],
  question: ['answer'],
} as const satisfies { readonly [kind in Ask['kind']]: readonly (keyof typeof messageNames)[] };

const examples = {
  approval: {},
  outcome: { outcome: 'happened' },
  question: { answer: '…' },
} as const satisfies { readonly [kind in Ask['kind']]: object };

/** A block of code would not be wrapped there, and its end not seen. */
function what({ tool, input, ask: { kind, rules } }: WaitingCall, shown: Shown): readonly string[] {
  switch (kind) {
    case 'approval':
      return [quote(code(`${tool}(${shown.value(tool, input, longest)})`)), shown.reason(rules.reason, 400)];
    case 'question':
      return [quote(shown.block(showInvisible(question(input)), longest))];
    case 'outcome':
      // It names the call with its arguments.
      return [quote(shown.reason(rules.reason, longest))];
  }
}

function question(input: Json): string {
  const text = questionIn(input);
  if (text === null) return JSON.stringify(input);
  const choices = choicesIn(input);
  return choices.length === 0 ? text : `${text}\n\n${list(choices)}`;
}

function paused({ chainId }: State, { by, reason }: NonNullable<State['held']>, shown: Shown): string {
  const ways = list([code(`longhand resume ${chainId}`), send(['resume'], { by: 'you' })]);
  return `**${shown.reason(reasons.paused(by, reason), 400)}**\n\n${ways}`;
}

function send(names: readonly (keyof typeof messageNames)[], example: object): string {
  const named = names.map((name) => code(messageNames[name])).join(' or ');
  return `or, in Temporal, the update or signal ${named} with ${code(JSON.stringify(example))}`;
}
