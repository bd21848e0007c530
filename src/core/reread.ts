/**
 * Reads a recorded reply once more, as the strategy reads replies now. What a fact keeps of a reply is what the
 * conversation went on with; what lay outside of it is put back from what was read in it then.
 */

import type { AgentSnapshot } from './agent.js';
import type { ModelReply } from './fact.js';
import { canonical, type Json } from './json.js';
import type { ReplyBlock } from './model.js';
import { quote } from './quote.js';
import { unquote } from './quoted.js';
import type { Reading } from './reading.js';
import { strategyOf } from './strategies/index.js';
import type { Validate } from './strategies/strategy.js';

export interface Reread {
  /** As it was recorded where it reads the same. */
  readonly reply: ModelReply;
  /** The members of the reading that differ; null where none does. */
  readonly differs: { readonly recorded: Json; readonly now: Json } | null;
}

export function reread(reply: ModelReply, agent: AgentSnapshot): Reread {
  const then = unquote(reply.reading);
  const now = read(reply, agent, then);
  const parts = (Object.keys(then) as (keyof Reading)[]).filter(
    (part) => canonical(then[part]) !== canonical(now[part]),
  );
  if (parts.length === 0) return { reply, differs: null };
  return { reply: { ...reply, reading: quote(now) }, differs: { recorded: only(then, parts), now: only(now, parts) } };
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

/** Tools are not at hand: what was said of a call then holds. A call that was not read then may run. */
function asJudged({ calls }: Reading): Validate {
  return (tool, input) => {
    const same = calls.find((call) => call.tool === tool && canonical(call.input) === canonical(input));
    return same?.rejected ?? null;
  };
}

function only(reading: Reading, parts: readonly (keyof Reading)[]): Json {
  return Object.fromEntries(parts.map((part) => [part, reading[part] as unknown as Json]));
}
