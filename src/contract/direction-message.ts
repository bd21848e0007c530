/**
 * The members of each message, as a direction. What people send by hand from Temporal's own tools is as short as can be:
 * `{"call":"3.1"}` approves.
 */

import { shorten } from '../core/lib/display.js';
import type { Json, JsonObject } from '../core/lib/json.js';
import { isObject, isTooDeep } from '../core/lib/json.js';
import type { Breakpoint, Decision, Direction } from '../core/model/direction.js';
import type { SomeLimits } from '../core/model/limits.js';

type Name = 'approve' | 'deny' | 'answer' | 'outcome' | 'steer' | 'pause' | 'resume' | 'limit';

export function readDirection(name: Name, said: JsonObject): Direction {
  // A workflow that cannot write it could never go on.
  if (isTooDeep(said)) return { kind: 'unreadable', problem: 'It is nested too deeply to be read: say it flatter.' };
  const direction = directionOf(name, said);
  const unknown = Object.keys(said).find((member) => !common.includes(member) && !members[name].includes(member));
  if (direction.kind === 'unreadable' || unknown === undefined) return direction;
  return { kind: 'unreadable', problem: meansNothing(name, unknown) };
}

function directionOf(name: Name, said: JsonObject): Direction {
  switch (name) {
    case 'approve':
      return decide(said, {
        what: 'approve',
        ...(said.input === undefined ? {} : { input: said.input }),
        ...(said.always === true ? { always: true } : {}),
      });
    case 'deny':
      return decide(said, { what: 'deny' });
    case 'answer':
      if (said.answer === undefined) return unreadable('the answer: {"call":"3.1","answer":"…"}');
      return decide(said, { what: 'answer', answer: said.answer });
    case 'outcome':
      return outcome(said);
    case 'steer':
      if (typeof said.text !== 'string') return unreadable('the message: {"text":"…"}');
      return { kind: 'steer', text: said.text };
    case 'pause':
      return pause(said);
    case 'resume':
      return { kind: 'resume' };
    case 'limit':
      if (!isObject(said.limits)) return unreadable('the limits: {"limits":{"steps":20}}');
      // Its members are looked at where they are taken.
      return { kind: 'limit', limits: said.limits as SomeLimits };
  }
}

/** What every message may say of its sender. */
const common: readonly string[] = ['id', 'chainId', 'by', 'roles', 'reason'];

const members: { readonly [name in Name]: readonly string[] } = {
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
function meansNothing(name: Name, member: string): string {
  return `${shorten(member, 100)} means nothing to ${name}; there are ${[...members[name], ...common].join(', ')}.`;
}

function decide({ call, digest }: JsonObject, decision: Decision): Direction {
  if (typeof call !== 'string') return unreadable('the call that is meant, as a text: {"call":"3.1"}');
  const meant = typeof digest === 'string' && digest !== '' ? shorten(digest, 200) : null;
  return { kind: 'decide', call: shorten(call, 100), digest: meant, decision };
}

function outcome(said: JsonObject): Direction {
  switch (said.outcome) {
    case 'happened':
      return decide(said, { what: 'happened', observation: said.observation ?? 'It happened.' });
    case 'not_happened':
      return decide(said, { what: 'not_happened' });
    case 'give_up':
      return decide(said, { what: 'give_up' });
    default:
      return unreadable('what is known: {"call":"3.1","outcome":"happened"}, or "not_happened", or "give_up"');
  }
}

/** Nothing said of where is here and now. */
function pause({ at }: JsonObject): Direction {
  if (at === undefined || at === null) return { kind: 'pause', at: null };
  const place = isObject(at) ? breakpoint(at) : null;
  if (place === null)
    return unreadable('where: {"at":{"step":5}}, {"at":{"costUsd":0.5}} or {"at":{"tool":"git_push"}}');
  return { kind: 'pause', at: place };
}

function breakpoint({ step, costUsd, tool }: JsonObject): Breakpoint | null {
  if (Number.isSafeInteger(step) && Number(step) >= 1) return { step: Number(step) };
  if (isAmount(costUsd)) return { costUsd };
  return typeof tool === 'string' && tool !== '' ? { tool: shorten(tool, 200) } : null;
}

function isAmount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}

function unreadable(missing: string): Direction {
  return { kind: 'unreadable', problem: `It does not say ${missing}.` };
}
