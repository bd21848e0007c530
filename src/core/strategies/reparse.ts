/**
 * Parses a recorded reply again with the current strategy. A fact stores only the reply's own text; content outside of it
 * (thinking, decisions about calls) is restored from the recorded reading.
 */

import { type Json, toCanonicalJson } from '../lib/index.js';
import {
  type AgentSnapshot,
  expandReading,
  type ModelReply,
  type Reading,
  type ReplyBlock,
  type RequestedCall,
} from '../model/index.js';
import { createRecordedAnswerValidator } from './answer.js';
import { compactReading } from './compact-reading.js';
import { getStrategy } from './strategies.js';
import type { CallValidator } from './strategy.js';

interface ReparseResult {
  /** Unchanged if the reading is the same. */
  readonly reply: ModelReply;
  /** The members of the reading that differ; null if all are equal. */
  readonly difference: { readonly recorded: Json; readonly now: Json } | null;
}

export function reparse(reply: ModelReply, agent: AgentSnapshot): ReparseResult {
  // A reused plan is not a model's reply. The parser of an own strategy is code of its worker: the recorded reading counts.
  if (reply.reusedPlan !== undefined || agent.strategy.name === 'custom') return { reply, difference: null };
  const then = expandReading(reply.reading);
  const now = parseReply(reply, agent, then);
  const parts = (Object.keys(then) as (keyof Reading)[]).filter(
    (part) => toCanonicalJson(then[part]) !== toCanonicalJson(now[part]),
  );
  if (parts.length === 0) return { reply, difference: null };
  const again = { ...reply, reading: compactReading(now), approvals: matchApprovals(reply, then, now) };
  return { reply: again, difference: { recorded: pickParts(then, parts), now: pickParts(now, parts) } };
}

function parseReply(
  { reading: _quoted, check: _verdict, ...rest }: ModelReply,
  agent: AgentSnapshot,
  then: Reading,
): Reading {
  const content = then.received ?? [...(then.problem === null ? restoreThinking(then, agent) : []), ...then.content];
  return getStrategy(agent.strategy).parse(
    { ...rest, content },
    agent,
    createRecordedValidator(then),
    createRecordedAnswerValidator(then),
  );
}

/** Restores thinking for `react`, whose facts store only text: a thought outside the text was thinking. */
function restoreThinking({ thought, content }: Reading, agent: AgentSnapshot): readonly ReplyBlock[] {
  if (agent.strategy.name !== 'react' || thought === null) return [];
  const isInText = content.some(
    (block) => block.type === 'text' && toLettersAndDigits(block.text).includes(toLettersAndDigits(thought)),
  );
  return isInText ? [] : [{ type: 'thinking', thinking: thought, signature: '' }];
}

/** Removes marks and white space, which the parser may have changed. */
function toLettersAndDigits(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '');
}

/** Policies are not available here, so each recorded approval result moves with its call. */
function matchApprovals({ approvals }: ModelReply, then: Reading, now: Reading): ModelReply['approvals'] {
  if (approvals === null) return null;
  const was = (call: RequestedCall, index: number) => {
    const before = then.calls[index];
    return before !== undefined && isSameCall(before, call)
      ? index
      : then.calls.findIndex((other) => isSameCall(other, call));
  };
  return now.calls.map((call, index) => approvals[was(call, index)] ?? null);
}

function isSameCall(a: Pick<RequestedCall, 'tool' | 'input'>, b: Pick<RequestedCall, 'tool' | 'input'>): boolean {
  return a.tool === b.tool && toCanonicalJson(a.input) === toCanonicalJson(b.input);
}

/** Tools are not available here, so the recorded validation of a call is used. A new call is accepted. */
function createRecordedValidator({ calls }: Reading): CallValidator {
  return (tool, input) => {
    const same = calls.find((call) => isSameCall(call, { tool, input }));
    return same?.rejected ?? null;
  };
}

function pickParts(reading: Reading, parts: readonly (keyof Reading)[]): Json {
  return Object.fromEntries(parts.map((part) => [part, reading[part] as unknown as Json]));
}
