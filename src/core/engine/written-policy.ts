/**
 * The written policy of a worker: a model compares each step with it, before a call of the step runs or its answer ends the chain.
 *
 * 1. The step is held (state/held-step.ts) while the model reads it: an aside with a reservation of its own (L6).
 * 2. Denied calls and answers are rejected with the reasons, for the model to read. Neither its author nor the agent can leave
 *    the policy out.
 * 3. A verdict that cannot be read, a model that cannot be asked and a budget that cannot pay for it: a person decides.
 */

import { findOwn, isObject, readFirstObject, shorten, toOneLine, toValueText } from '../lib/index.js';
import {
  type AgentSnapshot,
  type ChainState,
  changeState,
  type HeldStep,
  type Notice,
  type PolicyVerdict,
} from '../model/index.js';
import { canTakeStep } from './enforce-limits.js';
import { type Advance, andThen, applyEach, emit, unchanged } from './state/advance.js';
import { addMessageBytes } from './state/budget.js';
import { createNoticeEntry } from './state/entry.js';
import { listCalls } from './state/flight.js';
import { askAboutHeldStep, runHeldCalls, takeHeldCalls } from './state/held-step.js';
import { countMessageBytes } from './state/observation.js';
import { settleCall } from './state/step.js';
import { formatFindings, stopChain } from './state/stop.js';

/** Returns the ending that a policy must allow first; undefined where the step ends nothing, or without a policy. */
export function findEnding({ policy }: AgentSnapshot, before: ChainState, after: ChainState): HeldStep['ending'] {
  if (policy === undefined || before.stop !== null || after.stop === null) return undefined;
  const { outcome, reason, answer } = after.stop;
  return outcome === 'success' || outcome === 'custom' ? { outcome, reason, answer } : undefined;
}

/** @param text the reply of the model */
export function applyVerdict(
  before: ChainState,
  agent: AgentSnapshot,
  text: string,
  asked: NonNullable<Notice['asked']>,
): Advance {
  const { verdict, reasons } = readVerdict(text);
  const why = reasons.join(' ');
  const notice = createNoticeEntry(before, 'policy_checked', `${verdictTexts[verdict]} ${why}`, { asked, verdict });
  return andThen(emit(before, notice), (state) => decideHeldStep(state, agent, verdict, why));
}

const verdictTexts: Readonly<Record<PolicyVerdict, string>> = {
  allow: 'The written policy allows the step.',
  deny: 'The written policy denies the step.',
  ask: 'A person must decide the step.',
  end: 'The written policy ends the chain.',
};

function decideHeldStep(state: ChainState, agent: AgentSnapshot, verdict: PolicyVerdict, why: string): Advance {
  switch (verdict) {
    case 'allow':
      return state.held?.ending === undefined ? runHeldCalls(state) : acceptEnding(state, agent, state.held.ending);
    case 'deny':
      return denyStep(state, agent, why);
    case 'ask':
      return askAboutHeldStep(state, `The written policy leaves the step to a person: ${why}`);
    case 'end': {
      const partial = toValueText(state.held?.ending?.answer ?? '') || formatFindings(state);
      return stopChain(
        state,
        'failure',
        { code: 'policy', reason: `The written policy ended the chain: ${why}` },
        { partial },
      );
    }
  }
}

/** Ends the chain as the held step states, once a person has resumed it. */
export function endPausedStep(state: ChainState): Advance {
  const { agent, held, aside, paused, stop } = state;
  if (agent === null || held?.ending === undefined || aside !== undefined || paused !== null || stop !== null)
    return unchanged(state);
  return acceptEnding(state, agent, held.ending);
}

/** A person's new message is read before the chain ends, as without a policy. */
function acceptEnding(
  state: ChainState,
  agent: AgentSnapshot,
  { outcome, reason, answer }: NonNullable<HeldStep['ending']>,
): Advance {
  if (state.hasUnreadMessages && canTakeStep(state, agent)) return emit(completeStep(state));
  return stopChain(state, outcome, reason, { answer });
}

/** A reason for the model is news, so the step counts as progress. */
function completeStep(state: ChainState): ChainState {
  return changeState(takeHeldCalls(state), { stall: { ...state.stall, hasProgress: true } });
}

function denyStep(before: ChainState, agent: AgentSnapshot, why: string): Advance {
  const { ending } = before.held ?? {};
  const state = takeHeldCalls(before);
  const denied = applyEach(state, listCalls(state), (next, call) =>
    settleCall(next, agent, call, {
      status: 'denied',
      content: `${call.tool} was denied and did not run: ${why}`,
    }),
  );
  if (ending === undefined) return denied;
  const message = {
    text: `Your answer was rejected by a policy: ${why} Correct it, and answer again.`,
    by: 'the policy',
    afterStep: before.steps,
    at: before.now,
  };
  return andThen(denied, (next) =>
    emit(
      changeState(addMessageBytes(next, countMessageBytes(message)), {
        hasUnreadMessages: true,
        stall: { ...next.stall, hasProgress: true },
      }),
      { type: 'message-received', at: before.now, message },
    ),
  );
}

const maxReasons = 5;
const maxReasonLength = 300;

function readVerdict(text: string): { readonly verdict: PolicyVerdict; readonly reasons: readonly string[] } {
  const object = readFirstObject(text)?.value;
  const verdict = isObject(object) ? findOwn(object, 'verdict') : undefined;
  if (!isObject(object) || !isVerdict(verdict)) {
    const start = shorten(toOneLine(text), maxReasonLength);
    return { verdict: 'ask', reasons: [`The verdict could not be read: "${start}".`] };
  }
  const reasons = findOwn(object, 'reasons') ?? [];
  const listed = (Array.isArray(reasons) ? reasons : [reasons]).slice(0, maxReasons);
  return { verdict, reasons: listed.map((reason) => shorten(toOneLine(toValueText(reason)), maxReasonLength)) };
}

function isVerdict(value: unknown): value is PolicyVerdict {
  return value === 'allow' || value === 'deny' || value === 'ask' || value === 'end';
}
