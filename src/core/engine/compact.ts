/**
 * Watches the context window before each model call, so that the provider need not reject the request.
 *
 * 1. Above a part of the window, requests contain a summary of the oldest steps from then on. The newest steps that fit half
 *    of the window stay as they are.
 * 2. A summary is extended only when the window fills up again: until then requests only grow at their end, and the
 *    provider's prompt cache stays valid.
 * 3. No event of the history is needed: the summary follows from the steps by rule, so workflow and readers derive the
 *    same (L1).
 * 4. Where even such a request does not fit, the chain ends with a last call that does.
 * 5. With `compaction: 'model'`, a model then writes notes on the summarized steps, in an aside, from the notes before and the
 *    steps since (L6). They replace the lines by rule. Where the budget cannot pay for it, or it fails, the lines remain.
 * 6. A provider may reject a request as too long, because its window is unknown or smaller than the price map has it. The
 *    oldest steps are summarized then, once, as if the rejected request had filled the window.
 *
 * A token is no shorter than a byte, so the bound counts bytes (L6). Only the end uses an estimate: a bound would end chains
 * that fit.
 */

import { countUtf8Bytes, formatCount, shortenToBytes } from '../lib/index.js';
import {
  type AgentSnapshot,
  type AsideReply,
  type ChainState,
  type ConversationSize,
  type ConversationSummary,
  changeState,
  defaults,
  estimateTokens,
  fitsWindow,
  type ModelSnapshot,
} from '../model/index.js';
import { type Advance, andThen, emit, unchanged } from './state/advance.js';
import { boundFirstRequest, reserve } from './state/budget.js';
import { stepOverheadBytes, summaryHeadBytes, summaryLineBytes } from './state/conversation-size.js';
import { createNoticeEntry } from './state/entry.js';
import { dropAside } from './state/flight.js';
import { resetBounds } from './state/request-bound.js';
import { getPlainModel } from './state/route.js';
import { stopForFullContext, stopForRejectedContext } from './state/stop.js';

export function compactConversation(state: ChainState): Advance {
  const { agent, flight, stop } = state;
  if (agent === null || flight.kind !== 'idle' || state.held !== undefined) return unchanged(state);
  if (stop !== null && !stop.closing) return unchanged(state);
  const compacted = compactByRule(state, agent);
  return agent.compaction === undefined ? compacted : andThen(compacted, (next) => requestNotes(next, agent));
}

function compactByRule(state: ChainState, agent: AgentSnapshot): Advance {
  if (state.conversation.overflow === 'rejected') return compactRejected(state, agent);
  const model = getPlainModel(state, agent);
  if (model.contextTokens === null) return unchanged(state);
  const window = model.contextTokens;
  const { tokens, newBytes } = state.context;
  if (tokens + newBytes < computeCompactionStart(model, window)) return unchanged(state);
  return andThen(summarize(state, agent, window, countSummarizedSteps(state, window)), (next) =>
    fits(next, model) ? unchanged(next) : endWithSummary(next, agent, window),
  );
}

/** The rejected request exceeded the window, so its bound does too. */
function compactRejected(state: ChainState, agent: AgentSnapshot): Advance {
  const { tokens, newBytes } = state.context;
  const { contextTokens } = getPlainModel(state, agent);
  const window = Math.min(contextTokens ?? Number.POSITIVE_INFINITY, tokens + newBytes);
  const next: ChainState = changeState(state, { conversation: { ...state.conversation, overflow: 'compacted' } });
  const compacted = summarize(next, agent, window, countSummarizedSteps(next, window));
  return compacted.entries.length === 0 ? stopForRejectedContext(next) : compacted;
}

/** Leaves room for the reply, though at most half of the window. */
function computeCompactionStart({ compactAt, maxTokens }: ModelSnapshot, window: number): number {
  return Math.min(Math.floor(compactAt * window), window - Math.min(maxTokens, Math.floor(window / 2)));
}

/** Returns the steps to summarize: all but the newest that fit half of the window, and never the last. */
function countSummarizedSteps({ steps, conversation }: ChainState, window: number): number {
  let bytes = 0;
  let recentSteps = 0;
  for (const size of conversation.stepBytes.toReversed()) {
    bytes += size;
    if (recentSteps > 0 && bytes > window / 2) break;
    recentSteps += 1;
  }
  return steps - recentSteps;
}

function summarize(state: ChainState, agent: AgentSnapshot, window: number, steps: number): Advance {
  const { conversation } = state;
  if (steps <= (conversation.summary?.steps ?? 0)) return unchanged(state);
  const notes = conversation.summary?.notes;
  const max = Math.floor(window / 4);
  const next = replaceSummary(state, agent, {
    steps,
    bytes: computeRuleBytes(state, max, steps - (notes?.steps ?? 0)) + (notes?.bytes ?? 0),
    ...(notes === undefined ? {} : { notes }),
    ...(agent.compaction === undefined ? {} : { notesDue: Math.min(max, defaults.notesBytes) }),
  });
  return emit(next, createNoticeEntry(next, 'compacted', formatCompactedNotice(conversation.overflow, steps)));
}

function replaceSummary(state: ChainState, agent: AgentSnapshot, summary: ConversationSummary): ChainState {
  const shorter = resetBounds(state, agent, { tokens: 0, newBytes: countCompactedBytes(state, agent, summary) });
  return changeState(shorter, { conversation: { ...state.conversation, summary } });
}

/** After a reflection that is due too, and not between two attempts at a step. */
function requestNotes(state: ChainState, agent: AgentSnapshot): Advance {
  const { aside = 'compaction', attempt, conversation, stop, tried } = state;
  if (conversation.summary?.notesDue === undefined || stop !== null || aside !== 'compaction') return unchanged(state);
  if (state.aside === undefined && (attempt > 1 || tried.length > 0)) return unchanged(state);
  if (reserve(state, agent, aside).ok) return emit(changeState(state, { aside }));
  return leaveOutNotes(dropAside(state), 'the budget cannot pay for them');
}

/** Replaces the lines of the summarized steps by the notes in a model's reply. */
export function applyNotes(state: ChainState, reply: { readonly text: string; readonly asked: AsideReply }): Advance {
  const { agent, conversation, plan } = state;
  const { summary } = conversation;
  if (agent === null || summary?.notesDue === undefined) return emit(state);
  const text = shortenToBytes(reply.text.trim(), summary.notesDue);
  if (text === '') return leaveOutNotes(state, 'the reply of the model is empty');
  const notes = { steps: summary.steps, bytes: countUtf8Bytes(text) };
  const ruleBytes = plan === null ? summaryHeadBytes : summary.bytes - (summary.notes?.bytes ?? 0);
  const next = replaceSummary(state, agent, { steps: summary.steps, bytes: ruleBytes + notes.bytes, notes });
  return emit(next, createNoticeEntry(next, 'notes_written', text, { asked: reply.asked }));
}

/** The lines by rule remain. */
export function leaveOutNotes(state: ChainState, why: string): Advance {
  const { conversation } = state;
  if (conversation.summary === null) return emit(state);
  const { notesDue: _, ...summary } = conversation.summary;
  const text = `No notes of a model: ${why}. The steps are summarized by rule.`;
  const next: ChainState = changeState(state, { conversation: { ...conversation, summary } });
  return emit(next, createNoticeEntry(next, 'compacted', text));
}

/** Returns the bound of the next request with this summary (L6). */
function countCompactedBytes(state: ChainState, agent: AgentSnapshot, summary: ConversationSummary): number {
  const { conversation, scratchpad, steps } = state;
  const { fixedBytes, pausedBytes, stepBytes } = conversation;
  const recentSteps = steps - summary.steps;
  const rendered = recentSteps === 0 ? 0 : stepBytes.slice(-recentSteps).reduce((sum, bytes) => sum + bytes, 0);
  const first = boundFirstRequest(state, agent);
  return first + fixedBytes + summary.bytes + rendered + pausedBytes + countUtf8Bytes(scratchpad) + stepOverheadBytes;
}

/** A plan is part of the summary and may be long. */
function computeRuleBytes({ plan }: ChainState, most: number, steps: number): number {
  const max = Math.max(2 * summaryHeadBytes, most);
  return plan === null ? Math.min(summaryHeadBytes + steps * summaryLineBytes, max) : max;
}

function formatCompactedNotice(overflow: ConversationSize['overflow'], steps: number): string {
  const cause = overflow === 'none' ? '' : 'The provider rejected the request as too long. ';
  const summarized = steps === 1 ? 'Step 1 is' : `Steps 1 to ${formatCount(steps)} are`;
  return `${cause}${summarized} summarized in requests from here on.`;
}

/** Estimates whether the next request fits, with a short reply. */
function fits({ context, agent }: ChainState, model: ModelSnapshot): boolean {
  const estimated = context.tokens + estimateTokens(context.newBytes);
  return fitsWindow(model, Math.max(estimated, agent?.countedTokens ?? 0));
}

/** Ends the chain before the request, with a last call that has a summary of all steps. */
function endWithSummary(state: ChainState, agent: AgentSnapshot, window: number): Advance {
  return andThen(summarize(state, agent, window, state.steps), (next) =>
    next.stop === null
      ? stopForFullContext(next, { closing: fits(next, getPlainModel(next, agent)) })
      : unchanged(next),
  );
}
