/** What the model of a step saw, in outline, at the turn that decided its call. Sizes and ids alone: texts are in the view of the chain. */

import type { RecordedTurn } from '../engine/index.js';
import { countUtf8Bytes, type Sha256, toCanonicalJson } from '../lib/index.js';
import { type Chain, countInputTokens } from '../model/index.js';
import { findModelCall, rebuildPrompt } from './prompts.js';

/** Returns null for a step that the chain does not have, and where no request was sent. */
export function outlineContext(turns: readonly RecordedTurn[], step: number, sha256: Sha256) {
  const made = findModelCall(turns, step, sha256);
  const prompt = made === null ? null : rebuildPrompt(made, sha256);
  if (made === null || prompt === null || prompt.kind === 'missing') return null;
  const { agent, chain, action, end } = made;
  const model =
    [agent.model, ...(agent.routing?.others ?? [])].find(({ name }) => name === prompt.model) ?? agent.model;
  const usage = end?.type === 'modelReplied' ? end.reply.usage : null;
  return {
    ...{ chainId: prompt.chainId, call: prompt.call, step, model: prompt.model },
    /** Null if unknown. */
    windowTokens: model.contextTokens,
    compactAt: model.compactAt,
    reservedTokens: action.reservation.inputTokens,
    /** As the provider reported them; null without a report. */
    inputTokens: usage === null ? null : countInputTokens(usage),
    requestBytes: countUtf8Bytes(toCanonicalJson(prompt.request)),
    summary: outlineSummary(chain),
  };
}

export type ContextOutline = NonNullable<ReturnType<typeof outlineContext>>;

/** Null while all steps are in the request. Steps without notes are summarized by rule. */
function outlineSummary({ state, notices }: Chain) {
  const { summary } = state.conversation;
  if (summary === null) return null;
  const written = notices.findLast(({ code }) => code === 'notes_written')?.asked?.call ?? null;
  return {
    steps: summary.steps,
    notes: summary.notes === undefined ? null : { steps: summary.notes.steps, call: written },
  };
}
