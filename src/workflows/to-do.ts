/**
 * What a chain waits for from a person, in the current details of the Web UI: what is asked, how it is answered from the
 * command line, and as what it is sent from Temporal's own tools.
 */

import { messageNames } from '../contract/names.js';
import { type Ask, rolesOf } from '../core/ask.js';
import { type WaitingCall, waiting } from '../core/asks-due.js';
import { askFacts, decideCommands } from '../core/decided-text.js';
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
  const roles = rolesOf(ask, now);
  const facts = askFacts({ ...rules, request: kind, roles, expiresAt, approved: ask.votes.length });
  const commands = decideCommands(kind, chainId, id)
    .map((command) => `\`${command}\``)
    .join(' or ');
  const update = `or send the update or signal \`${messageNames[updates[kind]]}\` with \`${example(kind, id)}\``;
  const what = kind === 'question' ? shown.block(question(input), 2_000) : shown.call({ tool, input });
  return [
    [`**⏸ ${titles[kind]} · call ${id}**`, ...facts].join(' · '),
    `> ${what.replace(/\n/g, '\n> ')}`,
    `${shown.reason(rules.reason, 400)} ${commands}, ${update}.`,
  ].join('\n\n');
}

const titles = {
  approval: 'Waits for approval',
  outcome: 'Did this happen?',
  question: 'Waits for an answer',
} as const satisfies { readonly [kind in Ask['kind']]: string };

const updates = {
  approval: 'approve',
  outcome: 'outcome',
  question: 'answer',
} as const satisfies { readonly [kind in Ask['kind']]: keyof typeof messageNames };

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
