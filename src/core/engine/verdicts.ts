/**
 * Verdicts of models on a step. `policy`: the written policy of the worker, before a call of the step runs or the chain ends.
 * `judge`: the criteria of the agent, before the chain ends; after the policy.
 *
 * 1. The step is held (state/held-step.ts) while the model reads it: an aside with a reservation of its own (L6).
 * 2. Denied calls and endings are rejected with the reasons, for the model to read. Neither the author of an agent nor its model can
 *    leave the policy out.
 * 3. A verdict that cannot be read, a model that cannot be asked and a budget that cannot pay for it: a person decides.
 */

import { findOwn, frameText, isObject, parseJson, shorten, toOneLine, toValueText } from '../lib/index.js';
import {
  type AgentSnapshot,
  type AsidePurpose,
  type ChainState,
  changeState,
  type HeldStep,
  type Notice,
  type OptionalAside,
  type StepVerdict,
} from '../model/index.js';
import { canTakeStep } from './enforce-limits.js';
import { type Advance, andThen, applyEach, emit, unchanged } from './state/advance.js';
import { addMessageBytes } from './state/budget.js';
import { createNoticeEntry } from './state/entry.js';
import { listCalls } from './state/flight.js';
import { askAboutHeldStep, pauseForPerson, runHeldCalls, takeHeldCalls } from './state/held-step.js';
import { countMessageBytes } from './state/observation.js';
import { settleCall } from './state/step.js';
import { formatFindings, stopChain } from './state/stop.js';

type Ending = NonNullable<HeldStep['ending']>;

/** Returns the ending that needs a verdict first; undefined where the step ends nothing, or no model decides. */
export function findEnding(agent: AgentSnapshot, before: ChainState, after: ChainState): Ending | undefined {
  if (before.stop !== null || after.stop === null || (agent.policy ?? agent.judge) === undefined) return undefined;
  const { outcome, reason, answer, partial } = after.stop;
  // A failure that the model states has a text of the model too, and the goal may be within reach.
  const isStated = reason.code === 'task_failed' || reason.code === 'plan_failed';
  return outcome === 'success' || outcome === 'custom' || isStated ? { outcome, reason, answer, partial } : undefined;
}

/** Applies the verdict in a model's reply to the held step. */
export function applyVerdict(
  before: ChainState,
  agent: AgentSnapshot,
  by: VerdictPurpose,
  reply: { readonly text: string; readonly asked: NonNullable<Notice['asked']> },
): Advance {
  const { verdict, reasons } = readVerdict(reply.text);
  const why = reasons.join(' ');
  const code = by === 'policy' ? 'policy_checked' : 'judged';
  const notice = createNoticeEntry(before, code, `${texts[by][verdict]}. ${why}`, { asked: reply.asked, verdict });
  return andThen(emit(before, notice), (state) => decideHeldStep(state, agent, by, { verdict, why }));
}

type VerdictPurpose = Exclude<AsidePurpose, OptionalAside>;

const texts: Readonly<Record<VerdictPurpose, Readonly<Record<StepVerdict, string>>>> = {
  policy: {
    allow: 'The written policy allows the step',
    deny: 'The written policy denies the step',
    ask: 'The written policy leaves the step to a person',
    end: 'The written policy ends the chain',
  },
  judge: {
    allow: 'The judge accepts the end',
    deny: 'The judge rejects the end',
    ask: 'The judge leaves the end to a person',
    end: 'The judge ends the chain as a failure',
  },
};

function decideHeldStep(
  state: ChainState,
  agent: AgentSnapshot,
  by: VerdictPurpose,
  { verdict, why }: { readonly verdict: StepVerdict; readonly why: string },
): Advance {
  const ending = state.held?.ending;
  // The end by a check of its agent cannot be corrected: the check would end the next step too.
  switch (verdict === 'deny' && ending?.isFinal ? 'end' : verdict) {
    case 'allow':
      if (ending === undefined) return runHeldCalls(state);
      return by === 'policy' && agent.judge !== undefined
        ? emit(changeState(state, { aside: 'judge' }))
        : acceptEnding(state, agent, ending);
    case 'deny':
      return ending === undefined ? denyCalls(state, agent, why) : rejectEnding(state, by, why);
    case 'ask':
      return askAboutHeldStep(state, `${texts[by].ask}: ${why}`);
    case 'end': {
      const reason = { code: by === 'policy' ? 'policy' : 'judged', reason: `${texts[by].end}: ${why}` } as const;
      // A text that the policy rejects is not in the result.
      const findings = by === 'policy' ? null : toValueText(ending?.answer ?? '') || formatFindings(state);
      return stopChain(state, 'failure', reason, { partial: findings });
    }
  }
}

/** Ends the chain as the held step states, once a person has resumed it. */
export function endPausedStep(state: ChainState): Advance {
  const { agent, held, aside, paused, stop } = state;
  if (agent === null || held?.ending === undefined || aside !== undefined || paused !== null || stop !== null)
    return unchanged(state);
  // The pause that ended was another one: now the chain pauses with the question.
  return held.question === undefined
    ? acceptEnding(state, agent, held.ending)
    : pauseForPerson(state, held, held.question);
}

/** A person's new message is read before the chain ends, as without a verdict. */
function acceptEnding(
  state: ChainState,
  agent: AgentSnapshot,
  { outcome, reason, answer, partial, isFinal }: Ending,
): Advance {
  if (!isFinal && state.hasUnreadMessages && canTakeStep(state, agent)) return emit(completeStep(state));
  return stopChain(state, outcome, reason, { answer, partial });
}

/** A reason for the model is news, so the step counts as progress. */
function completeStep(state: ChainState): ChainState {
  return changeState(takeHeldCalls(state), {
    unreadableReplies: 0,
    stall: { ...state.stall, hasProgress: true },
  });
}

function denyCalls(before: ChainState, agent: AgentSnapshot, why: string): Advance {
  const state = takeHeldCalls(before);
  return applyEach(state, listCalls(state), (next, call) =>
    settleCall(next, agent, call, { status: 'denied', content: `${call.tool} was denied and did not run: ${why}` }),
  );
}

/** The reasons are framed as data: the model that wrote them has read what others wrote. */
function rejectEnding(before: ChainState, by: VerdictPurpose, why: string): Advance {
  const message = {
    text: `Your answer was rejected. The reasons:\n${frameText(why)}\nContinue until you can correct it, and answer again.`,
    by: by === 'policy' ? 'the written policy' : 'the judge',
    afterStep: before.steps,
    at: before.now,
  };
  const state = changeState(completeStep(before), { hasUnreadMessages: true });
  return emit(addMessageBytes(state, countMessageBytes(message)), {
    type: 'message-received',
    at: before.now,
    message,
  });
}

const maxReasons = 5;
const maxReasonLength = 300;

/** Only a reply that is one object is a verdict: an object in a text may be quoted from the step. */
function readVerdict(text: string): { readonly verdict: StepVerdict; readonly reasons: readonly string[] } {
  const object = parseJson(text.trim().replace(/^```(?:json)?\s*|\s*```$/g, ''));
  const verdict = isObject(object) ? findOwn(object, 'verdict') : undefined;
  if (!isObject(object) || !isVerdict(verdict)) {
    const start = shorten(toOneLine(text), maxReasonLength);
    return { verdict: 'ask', reasons: [`The verdict could not be read: "${start}".`] };
  }
  const reasons = findOwn(object, 'reasons') ?? [];
  const listed = (Array.isArray(reasons) ? reasons : [reasons]).slice(0, maxReasons);
  return { verdict, reasons: listed.map((reason) => shorten(toOneLine(toValueText(reason)), maxReasonLength)) };
}

function isVerdict(value: unknown): value is StepVerdict {
  return value === 'allow' || value === 'deny' || value === 'ask' || value === 'end';
}
