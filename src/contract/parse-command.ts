/**
 * Parses the members of a message into a command. Messages sent by hand from Temporal's own tools can be short:
 * `{"call":"3.1"}` approves.
 */

import { isObject, isTooDeep, type Json, type JsonObject, shorten } from '../core/lib/index.js';
import type { Breakpoint, Command, DecisionInput, PartialLimits } from '../core/model/index.js';

type CommandName = 'approve' | 'deny' | 'answer' | 'outcome' | 'steer' | 'pause' | 'resume' | 'limit' | 'signal';

export function parseCommand(name: CommandName, members: JsonObject): Command {
  // A workflow that cannot write it could not continue.
  if (isTooDeep(members)) return { kind: 'unreadable', problem: 'It is nested too deeply. Send a flatter value.' };
  const command = parseKnownCommand(name, members);
  const unknown = Object.keys(members).find(
    (member) => !commonMembers.includes(member) && !commandMembers[name].includes(member),
  );
  if (command.kind === 'unreadable' || unknown === undefined) return command;
  return { kind: 'unreadable', problem: describeUnknownMember(name, unknown) };
}

function parseKnownCommand(name: CommandName, members: JsonObject): Command {
  switch (name) {
    case 'approve':
      return toDecideCommand(members, {
        kind: 'approve',
        ...(members.input === undefined ? {} : { input: members.input }),
        ...(members.always === true ? { always: true } : {}),
      });
    case 'deny':
      return toDecideCommand(members, { kind: 'deny' });
    case 'answer':
      if (members.answer === undefined) return toUnreadableCommand('an answer: {"call":"3.1","answer":"…"}');
      return toDecideCommand(members, { kind: 'answer', answer: members.answer });
    case 'outcome':
      return parseOutcomeCommand(members);
    case 'steer':
      if (typeof members.text !== 'string') return toUnreadableCommand('a message: {"text":"…"}');
      return { kind: 'steer', text: members.text };
    case 'pause':
      return parsePauseCommand(members);
    case 'resume':
      return parseResumeCommand(members);
    case 'limit':
      if (!isObject(members.limits)) return toUnreadableCommand('limits: {"limits":{"steps":20}}');
      // Its members are checked where the command is applied.
      return { kind: 'limit', limits: members.limits as PartialLimits };
    case 'signal':
      if (typeof members.name !== 'string') return toUnreadableCommand('a name: {"name":"build-done","data":{}}');
      return { kind: 'signal', name: shorten(members.name, 200), data: members.data ?? null };
  }
}

/** Members that every message may have. */
const commonMembers: readonly string[] = ['id', 'chainId', 'by', 'roles', 'reason'];

const commandMembers: { readonly [name in CommandName]: readonly string[] } = {
  approve: ['call', 'digest', 'input', 'always'],
  deny: ['call', 'digest'],
  answer: ['call', 'digest', 'answer'],
  outcome: ['call', 'digest', 'outcome', 'observation'],
  steer: ['text'],
  pause: ['at'],
  resume: ['call'],
  limit: ['limits'],
  signal: ['name', 'data'],
};

/** A mistyped member is rejected: the command could do something else than intended. */
function describeUnknownMember(name: CommandName, member: string): string {
  return `Unknown member ${shorten(member, 100)} of ${name}; expected ${[...commandMembers[name], ...commonMembers].join(', ')}.`;
}

function toDecideCommand({ call, digest }: JsonObject, decision: DecisionInput): Command {
  if (typeof call !== 'string') return toUnreadableCommand('a call: {"call":"3.1"}');
  const meant = typeof digest === 'string' && digest !== '' ? shorten(digest, 200) : null;
  return { kind: 'decide', call: shorten(call, 100), digest: meant, decision };
}

function parseOutcomeCommand(members: JsonObject): Command {
  switch (members.outcome) {
    case 'happened':
      return toDecideCommand(members, { kind: 'happened', observation: members.observation ?? 'It happened.' });
    case 'not_happened':
      return toDecideCommand(members, { kind: 'not_happened' });
    case 'give_up':
      return toDecideCommand(members, { kind: 'give_up' });
    default:
      return toUnreadableCommand('an outcome: {"call":"3.1","outcome":"happened"}, "not_happened" or "give_up"');
  }
}

/** Without `at`, the chain pauses before the next step. */
function parsePauseCommand({ at }: JsonObject): Command {
  if (at === undefined || at === null) return { kind: 'pause', breakpoint: null };
  const place = isObject(at) ? parseBreakpoint(at) : null;
  if (place === null)
    return toUnreadableCommand('a breakpoint: {"at":{"step":5}}, {"at":{"costUsd":0.5}} or {"at":{"tool":"git_push"}}');
  return { kind: 'pause', breakpoint: place };
}

/** Without `call`, the chain is resumed, and no wait ends. */
function parseResumeCommand({ call = null }: JsonObject): Command {
  if (call === null) return { kind: 'resume', call };
  if (typeof call !== 'string') return toUnreadableCommand('the call whose wait ends: {"call":"3.1"}');
  return { kind: 'resume', call: shorten(call, 100) };
}

function parseBreakpoint({ step, costUsd, tool }: JsonObject): Breakpoint | null {
  if (Number.isSafeInteger(step) && Number(step) >= 1) return { step: Number(step) };
  if (isAmount(costUsd)) return { costUsd };
  return typeof tool === 'string' && tool !== '' ? { tool: shorten(tool, 200) } : null;
}

function isAmount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}

function toUnreadableCommand(expected: string): Command {
  return { kind: 'unreadable', problem: `Expected ${expected}.` };
}
