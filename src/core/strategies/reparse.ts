/**
 * Reads a recorded reply once more, as the strategy reads replies now. What a fact keeps of a reply is what the
 * conversation went on with; what lay outside of it is put back from what was read in it then.
 */

import { type Json, toCanonicalJson } from '../lib/json.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { ModelReply } from '../model/fact.js';
import type { ReplyBlock } from '../model/model.js';
import { type Reading, type RequestedCall, unquote } from '../model/reading.js';
import { getStrategy } from './index.js';
import { quote } from './quote.js';
import type { CallValidator } from './strategy.js';

interface ReparseResult {
  /** As it was recorded where it reads the same. */
  readonly reply: ModelReply;
  /** The members of the reading that differ; null where none does. */
  readonly difference: { readonly recorded: Json; readonly now: Json } | null;
}

export function reparse(reply: ModelReply, agent: AgentSnapshot): ReparseResult {
  // Nobody said it: there is nothing to read.
  if (reply.reusedPlan !== undefined) return { reply, difference: null };
  const then = unquote(reply.reading);
  const now = parseReply(reply, agent, then);
  const parts = (Object.keys(then) as (keyof Reading)[]).filter(
    (part) => toCanonicalJson(then[part]) !== toCanonicalJson(now[part]),
  );
  if (parts.length === 0) return { reply, difference: null };
  const again = { ...reply, reading: quote(now), approvals: matchApprovals(reply, then, now) };
  return { reply: again, difference: { recorded: pickParts(then, parts), now: pickParts(now, parts) } };
}

function parseReply(
  { reading: _quoted, check: _verdict, ...rest }: ModelReply,
  agent: AgentSnapshot,
  then: Reading,
): Reading {
  const content = [...restoreThinking(then, agent), ...then.content];
  return getStrategy(agent.strategy).parse({ ...rest, content }, agent, createRecordedValidator(then));
}

/** A text protocol keeps the text alone. A thought that is not in it was thought beside it. */
function restoreThinking({ thought, content }: Reading, agent: AgentSnapshot): readonly ReplyBlock[] {
  if (agent.strategy.name !== 'react' || thought === null) return [];
  const isSaid = content.some(
    (block) => block.type === 'text' && toLettersAndDigits(block.text).includes(toLettersAndDigits(thought)),
  );
  return isSaid ? [] : [{ type: 'thinking', thinking: thought, signature: '' }];
}

/** Without what a reader may have taken away or put straight: marks and white space. */
function toLettersAndDigits(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '');
}

/** Policies are not at hand either: what they said of a call goes with it, wherever it stands now. */
function matchApprovals({ approvals }: ModelReply, then: Reading, now: Reading): ModelReply['approvals'] {
  if (approvals === null) return null;
  const was = (call: RequestedCall, index: number) => {
    const before = then.calls[index];
    return before !== undefined && isSameCall(before, call)
      ? index
      : then.calls.findIndex((each) => isSameCall(each, call));
  };
  return now.calls.map((call, index) => approvals[was(call, index)] ?? null);
}

function isSameCall(a: Pick<RequestedCall, 'tool' | 'input'>, b: Pick<RequestedCall, 'tool' | 'input'>): boolean {
  return a.tool === b.tool && toCanonicalJson(a.input) === toCanonicalJson(b.input);
}

/** Tools are not at hand: what was said of a call then holds. A call that was not read then may run. */
function createRecordedValidator({ calls }: Reading): CallValidator {
  return (tool, input) => {
    const same = calls.find((call) => isSameCall(call, { tool, input }));
    return same?.rejected ?? null;
  };
}

function pickParts(reading: Reading, parts: readonly (keyof Reading)[]): Json {
  return Object.fromEntries(parts.map((part) => [part, reading[part] as unknown as Json]));
}
