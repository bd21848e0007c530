/** The replies of a scripted model, and their form on the wire. */

import { createHash } from 'node:crypto';
import type { ReplyBlock, ReplyStopReason } from '../../src/core/model/model.js';
import type { Json, Usage } from '../../src/index.js';
import type { WireReply } from '../../src/models/wire-events.js';

export interface SpokenReply {
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly { readonly name: string; readonly input: Json; readonly id?: string }[];
  /** Default: `tool_use` with calls, else `end_turn`. */
  readonly stopReason?: ReplyStopReason;
  /** Default: a rough count of bytes. */
  readonly usage?: Partial<Usage>;
  /** The `usage` of the first and of the last event, valid or not; undefined leaves it out. */
  readonly usageOnWire?: { readonly start?: Json; readonly end?: Json };
  /** Milliseconds between two events. */
  readonly chunkDelayMs?: number;
}

export type ScriptedReply =
  | SpokenReply
  /** An HTTP error instead of a stream. */
  | {
      readonly status: number;
      readonly error?: { readonly type: string; readonly message: string };
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** An `error` event after so many events. */
  | {
      readonly errorAfter: number;
      readonly text: string;
      readonly error: { readonly type: string; readonly message: string };
    }
  /** The stream ends after so many events: by a reset, or `cleanly`, as if it were complete. */
  | { readonly cutAfter: number; readonly text: string; readonly cleanly?: boolean }
  /** Open until the client goes away: without any answer, or after so many events (0: the headers). */
  | { readonly hang: true; readonly afterEvents?: number; readonly text?: string };

/** What a reply needs to know of the request that it answers. */
export interface RequestFacts {
  readonly model: string;
  readonly bytes: number;
  /** Texts at which the model stops speaking. */
  readonly stopSequences: readonly string[];
  /** Ids for its calls, in order. */
  readonly callId: () => string;
}

export function toWireReply(spoken: SpokenReply, facts: RequestFacts): WireReply {
  const stop = findStop(spoken.text ?? '', facts.stopSequences);
  const text = stop === null ? (spoken.text ?? '') : (spoken.text ?? '').slice(0, stop.at);
  // What a model would have asked for after a stop sequence, it never gets to.
  const calls = stop === null ? (spoken.calls ?? []) : [];
  const content: ReplyBlock[] = [];
  if (spoken.thinking !== undefined) {
    content.push({ type: 'thinking', thinking: spoken.thinking, signature: computeSignature(spoken.thinking) });
  }
  if (text !== '') content.push({ type: 'text', text });
  for (const { name, input, id } of calls) content.push({ type: 'tool_use', id: id ?? facts.callId(), name, input });
  return {
    id: 'msg_scripted',
    model: facts.model,
    content,
    stopReason: stop === null ? (spoken.stopReason ?? (calls.length > 0 ? 'tool_use' : 'end_turn')) : 'stop_sequence',
    stopSequence: stop?.sequence ?? null,
    usage: {
      input: Math.ceil(facts.bytes / 4),
      output: Math.ceil(Buffer.byteLength(JSON.stringify(content)) / 4),
      cacheRead: 0,
      cacheWrite: 0,
      thinking: Math.ceil(Buffer.byteLength(spoken.thinking ?? '') / 4),
      ...spoken.usage,
    },
  };
}

/** The server signs its thoughts, so that it knows whether they come back unchanged. */
export function computeSignature(thinking: string): string {
  return createHash('sha256').update(`scripted:${thinking}`).digest('base64');
}

function findStop(text: string, sequences: readonly string[]): { at: number; sequence: string } | null {
  const found = sequences
    .map((sequence) => ({ at: text.indexOf(sequence), sequence }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at);
  return found[0] ?? null;
}
