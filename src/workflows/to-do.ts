/**
 * What a chain waits for from a person, in the current details of the Web UI: what is asked, how it is answered from the
 * command line, and as what it is sent from Temporal's own tools.
 */

import { messageNames } from '../contract/names.js';
import { type Ask, rolesOf } from '../core/ask.js';
import { type WaitingCall, waiting } from '../core/asks-due.js';
import * as reasons from '../core/reasons.js';
import type { Shown } from '../core/shown.js';
import type { State } from '../core/state.js';

export function toDo(state: State, shown: Shown): readonly string[] {
  if (state.stop !== null) return [];
  const calls = waiting(state).map((call) => asked(state, call, shown));
  return state.held === null ? calls : [...calls, resume(state, state.held, shown)];
}

function asked({ chainId, now }: State, { id, tool, input, ask }: WaitingCall, shown: Shown): string {
  const { rules, expiresAt, kind } = ask;
  const { call, ways } = forms[kind];
  const who = rolesOf(ask, now);
  const facts = [
    `risk ${rules.risk}`,
    ...(who.length === 0 ? [] : [`for ${who.join(', ')}`]),
    ...(rules.approvers === 1 ? [] : [`${ask.votes.length} of ${rules.approvers} have approved`]),
    ...(expiresAt === null ? [] : [`until ${new Date(expiresAt).toISOString().slice(0, 16)}Z`]),
  ].join(' · ');
  const commands = ways.map((way) => `\`longhand ${way.command} ${chainId} ${id}${way.flags}\``).join(' or ');
  const update = `or send the update or signal \`${messageNames[call]}\` with \`${example(kind, id)}\``;
  const what = kind === 'question' ? shown.block(question(input), 2_000) : shown.call({ tool, input });
  return [
    `**⏸ ${titles[kind]} · call ${id}** · ${facts}`,
    `> ${what.replace(/\n/g, '\n> ')}`,
    `${shown.reason(rules.reason, 400)} ${commands}, ${update}.`,
  ].join('\n\n');
}

const titles = {
  approval: 'Waits for approval',
  outcome: 'Did this happen?',
  question: 'Waits for an answer',
} as const satisfies { readonly [kind in Ask['kind']]: string };

const forms = {
  approval: {
    call: 'approve',
    ways: [
      { command: 'approve', flags: '' },
      { command: 'deny', flags: '' },
    ],
  },
  outcome: { call: 'outcome', ways: [{ command: 'answer', flags: ' --happened' }] },
  question: { call: 'answer', ways: [{ command: 'answer', flags: ' "…"' }] },
} as const;

function example(kind: Ask['kind'], call: string): string {
  if (kind === 'question') return JSON.stringify({ call, answer: '…' });
  return JSON.stringify(kind === 'approval' ? { call } : { call, outcome: 'happened' });
}

function question(input: WaitingCall['input']): string {
  const asked = typeof input === 'object' && input !== null && 'question' in input ? input.question : input;
  return typeof asked === 'string' ? asked : JSON.stringify(asked);
}

function resume({ chainId }: State, { by, reason }: NonNullable<State['held']>, shown: Shown): string {
  const why = shown.reason(reasons.paused(by, reason), 400);
  return `**⏸ ${why}** \`longhand resume ${chainId}\`, or send the update or signal \`${messageNames.resume}\` with \`{}\`.`;
}
