/** Outlines what the model of a step saw: rebuilt from the chain at the turn that decided the call, as its prompt is. */

import { type RecordedTurn, renderObservation } from '../engine/index.js';
import { countUtf8Bytes, type Sha256, toCanonicalJson } from '../lib/index.js';
import {
  type Call,
  type Chain,
  type ContextOutline,
  countInputTokens,
  type ModelCallRef,
  type ResultOutline,
  type SummaryOutline,
} from '../model/index.js';
import { countSummaryLines, listRenderedSteps } from '../strategies/index.js';
import { findModelCall, rebuildPrompt } from './prompts.js';

/** Returns null for a call that the chain did not make, and where none was sent. */
export function outlineContext(
  turns: readonly RecordedTurn[],
  ref: ModelCallRef,
  sha256: Sha256,
): ContextOutline | null {
  const made = findModelCall(turns, ref, sha256);
  const prompt = made === null ? null : rebuildPrompt(made, sha256);
  if (made === null || prompt === null || prompt.kind === 'missing') return null;
  const { chain, end, agent, action } = made;
  const { system, tools, messages } = prompt.request;
  const model =
    [agent.model, ...(agent.routing?.others ?? [])].find(({ name }) => name === prompt.model) ?? agent.model;
  const usage = end?.type === 'modelReplied' ? end.reply.usage : null;
  return {
    chainId: prompt.chainId,
    call: prompt.call,
    step: prompt.step,
    model: prompt.model,
    windowTokens: model.contextTokens,
    compactAt: model.compactAt,
    reservedTokens: action.reservation.inputTokens,
    inputTokens: usage === null ? null : countInputTokens(usage),
    bytes: { system: countUtf8Bytes(system), tools: countJsonBytes(tools), messages: countJsonBytes(messages) },
    summary: outlineSummary(chain),
    steps: listRenderedSteps(chain).map(({ number, calls }) => ({
      number,
      results: calls.map((call) => outlineResult(chain, call)),
    })),
  };
}

function countJsonBytes(value: object): number {
  return countUtf8Bytes(toCanonicalJson(value));
}

function outlineSummary(chain: Chain): SummaryOutline | null {
  const { summary } = chain.state.conversation;
  if (summary === null) return null;
  const { notes } = summary;
  const written = chain.notices.findLast(({ code }) => code === 'notes_written');
  const lines = countSummaryLines(chain);
  return {
    steps: summary.steps,
    notes: notes === undefined ? null : { ...notes, call: written?.asked?.call ?? null, text: written?.text ?? '' },
    lines,
    leftOut: summary.steps - (notes?.steps ?? 0) - lines,
  };
}

function outlineResult(chain: Chain, call: Call): ResultOutline {
  const bytes = countUtf8Bytes(renderObservation(chain, call));
  const { id, tool, status, clippedFrom, summarized } = call;
  const isSummary = summarized !== undefined && summarized.failure === undefined;
  const form = status === 'reused' ? 'reused' : isSummary ? 'summarized' : clippedFrom === null ? 'whole' : 'clipped';
  return {
    ...{ call: id, tool, form, bytes, ofBytes: clippedFrom ?? bytes },
    ...(summarized === undefined ? {} : { summarized }),
  };
}
