/**
 * Verdicts of models on a step. `policy`: the written policy of the worker, before a call of the step runs or its answer ends the chain.
 * `judge`: the criteria of the agent, before the chain ends; after the policy.
 *
 * 1. The step is held (state/held-step.ts) while the model reads it: an aside with a reservation of its own (L6).
 * 2. Denied calls and endings are rejected with the reasons, for the model to read. Neither the author of an agent nor its model can
 *    leave the policy out.
 * 3. A verdict that cannot be read, a model that cannot be asked and a budget that cannot pay for it: a person decides.
 */

import { findOwn, isObject, readFirstObject, shorten, toOneLine, toValueText } from '../lib/index.js';
import {
  type AgentSnapshot,
  type AsidePurpose,
  type ChainState,
  changeState,
  type HeldStep,
  type Notice,
  type StepVerdict,
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

/** Returns the ending that needs a verdict first; undefined where the step ends nothing, or no model decides. */
export function findEnding(agent: AgentSnapshot, before: ChainState, after: ChainState): HeldStep['ending'] {
  if (before.stop !== null || after.stop === null || (agent.policy ?? agent.judge) === undefined) return undefined;
  const { outcome, reason, answer, partial } = after.stop;
  // A failure that the model states is judged too: the goal may be within reach.
  const isJudged = agent.judge !== undefined && (reason.code === 'task_failed' || reason.code === 'plan_failed');
  return outcome === 'success' || outcome === 'custom' || isJudged ? { outcome, reason, answer, partial } : undefined;
}

/** @param text the reply of the model */
export function applyVerdict(
  before: ChainState,
  agent: AgentSnapshot,
  by: VerdictPurpose,
  reply: { readonly text: string; readonly asked: NonNullable<Notice['asked']> },
): Advance {
  const { verdict, reasons } = readVerdict(reply.text);
  const why = reasons.join(' ');
  const text = `${names[by]} ${verdictTexts[verdict]}. ${why}`;
  const code = by === 'policy' ? 'policy_checked' : 'judged';
  const notice = createNoticeEntry(before, code, text, { asked: reply.asked, verdict });
  return andThen(emit(before, notice), (state) => decideHeldStep(state, agent, by, { verdict, why }));
}

type VerdictPurpose = Exclude<AsidePurpose, 'observer'>;

const names: Readonly<Record<VerdictPurpose, string>> = { policy: 'The written policy', judge: 'The judge' };

const verdictTexts: Readonly<Record<StepVerdict, string>> = {
  allow: 'allows the step',
  deny: 'denies the step',
  ask: 'leaves the step to a person',
  end: 'ends the chain',
};

function decideHeldStep(
  state: ChainState,
  agent: AgentSnapshot,
  by: VerdictPurpose,
  { verdict, why }: { readonly verdict: StepVerdict; readonly why: string },
): Advance {
  const ending = state.held?.ending;
  switch (verdict) {
    case 'allow':
      if (ending === undefined) return runHeldCalls(state);
      return by === 'policy' && agent.judge !== undefined
        ? emit(changeState(state, { aside: 'judge' }))
        : acceptEnding(state, agent, ending);
    case 'deny':
      return denyStep(state, agent, names[by], why);
    case 'ask':
      return askAboutHeldStep(state, `${names[by]} leaves the step to a person: ${why}`);
    case 'end': {
      const partial = toValueText(ending?.answer ?? '') || formatFindings(state);
      return stopChain(
        state,
        'failure',
        { code: by === 'policy' ? 'policy' : 'judged', reason: `${names[by]} ended the chain: ${why}` },
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
  { outcome, reason, answer, partial }: NonNullable<HeldStep['ending']>,
): Advance {
  if (state.hasUnreadMessages && canTakeStep(state, agent)) return emit(completeStep(state));
  return stopChain(state, outcome, reason, { answer, partial });
}

/** A reason for the model is news, so the step counts as progress. */
function completeStep(state: ChainState): ChainState {
  return changeState(takeHeldCalls(state), { stall: { ...state.stall, hasProgress: true } });
}

function denyStep(before: ChainState, agent: AgentSnapshot, by: string, why: string): Advance {
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
    text: `Your answer was rejected: ${why} Continue until you can correct it, and answer again.`,
    by: by.toLowerCase(),
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

function readVerdict(text: string): { readonly verdict: StepVerdict; readonly reasons: readonly string[] } {
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

function isVerdict(value: unknown): value is StepVerdict {
  return value === 'allow' || value === 'deny' || value === 'ask' || value === 'end';
}
