/**
 * The members of each message, as a direction. What people send by hand from Temporal's own tools is as short as can be:
 * `{"call":"3.1"}` approves.
 */

import { shorten } from '../core/lib/display.js';
import type { Json, JsonObject } from '../core/lib/json.js';
import { isObject, isTooDeep } from '../core/lib/json.js';
import type { Breakpoint, Command, DecisionInput } from '../core/model/command.js';
import type { PartialLimits } from '../core/model/limits.js';

type CommandName = 'approve' | 'deny' | 'answer' | 'outcome' | 'steer' | 'pause' | 'resume' | 'limit';

export function parseCommand(name: CommandName, said: JsonObject): Command {
  // A workflow that cannot write it could never go on.
  if (isTooDeep(said)) return { kind: 'unreadable', problem: 'It is nested too deeply to be read: say it flatter.' };
  const direction = parseKnownCommand(name, said);
  const unknown = Object.keys(said).find(
    (member) => !commonMembers.includes(member) && !commandMembers[name].includes(member),
  );
  if (direction.kind === 'unreadable' || unknown === undefined) return direction;
  return { kind: 'unreadable', problem: describeUnknownMember(name, unknown) };
}

function parseKnownCommand(name: CommandName, said: JsonObject): Command {
  switch (name) {
    case 'approve':
      return toDecideCommand(said, {
        kind: 'approve',
        ...(said.input === undefined ? {} : { input: said.input }),
        ...(said.always === true ? { always: true } : {}),
      });
    case 'deny':
      return toDecideCommand(said, { kind: 'deny' });
    case 'answer':
      if (said.answer === undefined) return toUnreadableCommand('the answer: {"call":"3.1","answer":"…"}');
      return toDecideCommand(said, { kind: 'answer', answer: said.answer });
    case 'outcome':
      return parseOutcomeCommand(said);
    case 'steer':
      if (typeof said.text !== 'string') return toUnreadableCommand('the message: {"text":"…"}');
      return { kind: 'steer', text: said.text };
    case 'pause':
      return parsePauseCommand(said);
    case 'resume':
      return { kind: 'resume' };
    case 'limit':
      if (!isObject(said.limits)) return toUnreadableCommand('the limits: {"limits":{"steps":20}}');
      // Its members are looked at where they are taken.
      return { kind: 'limit', limits: said.limits as PartialLimits };
  }
}

/** What every message may say of its sender. */
const commonMembers: readonly string[] = ['id', 'chainId', 'by', 'roles', 'reason'];

const commandMembers: { readonly [name in CommandName]: readonly string[] } = {
  approve: ['call', 'digest', 'input', 'always'],
  deny: ['call', 'digest'],
  answer: ['call', 'digest', 'answer'],
  outcome: ['call', 'digest', 'outcome', 'observation'],
  steer: ['text'],
  pause: ['at'],
  resume: [],
  limit: ['limits'],
};

/** A slip of the pen must not approve something else than was meant. */
function describeUnknownMember(name: CommandName, member: string): string {
  return `${shorten(member, 100)} means nothing to ${name}; there are ${[...commandMembers[name], ...commonMembers].join(', ')}.`;
}

function toDecideCommand({ call, digest }: JsonObject, decision: DecisionInput): Command {
  if (typeof call !== 'string') return toUnreadableCommand('the call that is meant, as a text: {"call":"3.1"}');
  const meant = typeof digest === 'string' && digest !== '' ? shorten(digest, 200) : null;
  return { kind: 'decide', call: shorten(call, 100), digest: meant, decision };
}

function parseOutcomeCommand(said: JsonObject): Command {
  switch (said.outcome) {
    case 'happened':
      return toDecideCommand(said, { kind: 'happened', observation: said.observation ?? 'It happened.' });
    case 'not_happened':
      return toDecideCommand(said, { kind: 'not_happened' });
    case 'give_up':
      return toDecideCommand(said, { kind: 'give_up' });
    default:
      return toUnreadableCommand('what is known: {"call":"3.1","outcome":"happened"}, or "not_happened", or "give_up"');
  }
}

/** Nothing said of where is here and now. */
function parsePauseCommand({ at }: JsonObject): Command {
  if (at === undefined || at === null) return { kind: 'pause', breakpoint: null };
  const place = isObject(at) ? parseBreakpoint(at) : null;
  if (place === null)
    return toUnreadableCommand('where: {"at":{"step":5}}, {"at":{"costUsd":0.5}} or {"at":{"tool":"git_push"}}');
  return { kind: 'pause', breakpoint: place };
}

function parseBreakpoint({ step, costUsd, tool }: JsonObject): Breakpoint | null {
  if (Number.isSafeInteger(step) && Number(step) >= 1) return { step: Number(step) };
  if (isAmount(costUsd)) return { costUsd };
  return typeof tool === 'string' && tool !== '' ? { tool: shorten(tool, 200) } : null;
}

function isAmount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}

function toUnreadableCommand(missing: string): Command {
  return { kind: 'unreadable', problem: `It does not say ${missing}.` };
}
