/**
 * Reads a recorded reply once more, as the strategy reads replies now. What a fact keeps of a reply is what the
 * conversation went on with; what lay outside of it is put back from what was read in it then.
 */

import { canonical, type Json } from '../lib/json.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { ModelReply } from '../model/fact.js';
import type { ReplyBlock } from '../model/model.js';
import { type Reading, type RequestedCall, unquote } from '../model/reading.js';
import { strategyOf } from './index.js';
import { quote } from './quote.js';
import type { Validate } from './strategy.js';

interface Reread {
  /** As it was recorded where it reads the same. */
  readonly reply: ModelReply;
  /** The members of the reading that differ; null where none does. */
  readonly differs: { readonly recorded: Json; readonly now: Json } | null;
}

export function reread(reply: ModelReply, agent: AgentSnapshot): Reread {
  // Nobody said it: there is nothing to read.
  if (reply.reusedPlan !== undefined) return { reply, differs: null };
  const then = unquote(reply.reading);
  const now = read(reply, agent, then);
  const parts = (Object.keys(then) as (keyof Reading)[]).filter(
    (part) => canonical(then[part]) !== canonical(now[part]),
  );
  if (parts.length === 0) return { reply, differs: null };
  const again = { ...reply, reading: quote(now), approvals: approvalsOf(reply, then, now) };
  return { reply: again, differs: { recorded: only(then, parts), now: only(now, parts) } };
}

function read(
  { reading: _quoted, check: _verdict, ...rest }: ModelReply,
  agent: AgentSnapshot,
  then: Reading,
): Reading {
  const content = [...thoughtBeside(then, agent), ...then.content];
  return strategyOf(agent.strategy).interpret({ ...rest, content }, agent, asJudged(then));
}

/** A text protocol keeps the text alone. A thought that is not in it was thought beside it. */
function thoughtBeside({ thought, content }: Reading, agent: AgentSnapshot): readonly ReplyBlock[] {
  if (agent.strategy.name !== 'react' || thought === null) return [];
  const isSaid = content.some((block) => block.type === 'text' && squeezed(block.text).includes(squeezed(thought)));
  return isSaid ? [] : [{ type: 'thinking', thinking: thought, signature: '' }];
}

/** Without what a reader may have taken away or put straight: marks and white space. */
function squeezed(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '');
}

/** Policies are not at hand either: what they said of a call goes with it, wherever it stands now. */
function approvalsOf({ approvals }: ModelReply, then: Reading, now: Reading): ModelReply['approvals'] {
  if (approvals === null) return null;
  const was = (call: RequestedCall, index: number) => {
    const before = then.calls[index];
    return before !== undefined && isSame(before, call) ? index : then.calls.findIndex((each) => isSame(each, call));
  };
  return now.calls.map((call, index) => approvals[was(call, index)] ?? null);
}

function isSame(a: Pick<RequestedCall, 'tool' | 'input'>, b: Pick<RequestedCall, 'tool' | 'input'>): boolean {
  return a.tool === b.tool && canonical(a.input) === canonical(b.input);
}

/** Tools are not at hand: what was said of a call then holds. A call that was not read then may run. */
function asJudged({ calls }: Reading): Validate {
  return (tool, input) => {
    const same = calls.find((call) => isSame(call, { tool, input }));
    return same?.rejected ?? null;
  };
}

function only(reading: Reading, parts: readonly (keyof Reading)[]): Json {
  return Object.fromEntries(parts.map((part) => [part, reading[part] as unknown as Json]));
}
