/** The replies of a scripted model, and their form in the API. */

import { createHash } from 'node:crypto';
import type { ReplyBlock, ReplyStopReason } from '../../src/core/model/model.js';
import type { Json, Usage } from '../../src/index.js';
import type { WireReply } from '../../src/models/wire/wire-events.js';

export interface CompleteReply {
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly { readonly name: string; readonly input: Json; readonly id?: string }[];
  /** Default: `tool_use` with calls, else `end_turn`. */
  readonly stopReason?: ReplyStopReason;
  /** Default: an estimate from the bytes. */
  readonly usage?: Partial<Usage>;
  /** The `usage` of the first and of the last event, valid or not; undefined omits it. */
  readonly usageOnWire?: { readonly start?: Json; readonly end?: Json };
  /** Milliseconds between two events. */
  readonly chunkDelayMs?: number;
  /** Stops the stream after this number of events, until the promise is resolved. */
  readonly pausesAfter?: { readonly events: number; readonly until: Promise<unknown> };
  /** Bytes that the end of the stream lacks: 1 is the empty line after the last event. */
  readonly endLacks?: number;
  /** Whether the server ignores that the request asks for a stream. */
  readonly inOnePiece?: boolean;
}

export type ScriptedReply = SomeReply & {
  /** The reply begins once this is resolved, for example when its followers have subscribed. */
  readonly waitsFor?: Promise<unknown>;
};

type SomeReply =
  | CompleteReply
  /** An HTTP error instead of a stream. */
  | {
      readonly status: number;
      readonly error?: { readonly type: string; readonly message: string };
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** An `error` event after this number of events. */
  | {
      readonly errorAfter: number;
      readonly text: string;
      readonly error: { readonly type: string; readonly message: string };
    }
  /** A stream that ends after this number of events: by a reset, or `cleanly`, as if it were complete. */
  | ({ readonly cutAfter: number; readonly text: string; readonly cleanly?: boolean } & DyingReply)
  /** The same after this number of bytes of the stream; null: before the headers. `stalls`: it stays open instead. */
  | {
      readonly cutAtByte: number | null;
      readonly reply: CompleteReply;
      readonly cleanly?: boolean;
      readonly stalls?: boolean;
    }
  /** A response that stays open until the client disconnects: empty, or after this number of events (0: the headers). */
  | ({ readonly hang: true; readonly afterEvents?: number; readonly text?: string } & DyingReply);

/** A reply that begins and does not end. */
type DyingReply = Pick<CompleteReply, 'usageOnWire'>;

/** The members of a request that its reply depends on. */
export interface RequestFacts {
  readonly model: string;
  readonly bytes: number;
  /** Texts at which the model stops. */
  readonly stopSequences: readonly string[];
  /** Returns the id of the next call. */
  readonly callId: () => string;
}

export function toWireReply(reply: CompleteReply, facts: RequestFacts): WireReply {
  const stop = findStop(reply.text ?? '', facts.stopSequences);
  const text = stop === null ? (reply.text ?? '') : (reply.text ?? '').slice(0, stop.at);
  // A model that stops at a stop sequence does not reach its calls.
  const calls = stop === null ? (reply.calls ?? []) : [];
  const content: ReplyBlock[] = [];
  if (reply.thinking !== undefined) {
    content.push({ type: 'thinking', thinking: reply.thinking, signature: computeSignature(reply.thinking) });
  }
  if (text !== '') content.push({ type: 'text', text });
  for (const { name, input, id } of calls) content.push({ type: 'tool_use', id: id ?? facts.callId(), name, input });
  return {
    id: 'msg_scripted',
    model: facts.model,
    content,
    stopReason: stop === null ? (reply.stopReason ?? (calls.length > 0 ? 'tool_use' : 'end_turn')) : 'stop_sequence',
    stopSequence: stop?.sequence ?? null,
    usage: {
      input: Math.ceil(facts.bytes / 4),
      output: Math.ceil(Buffer.byteLength(JSON.stringify(content)) / 4),
      cacheRead: 0,
      cacheWrite: 0,
      thinking: Math.ceil(Buffer.byteLength(reply.thinking ?? '') / 4),
      ...reply.usage,
    },
  };
}

/** Signs a thought, so that the server can check that a request returns it unchanged. */
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
