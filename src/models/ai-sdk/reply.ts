/**
 * Builds a reply from the stream parts of a model of the AI SDK. Parts come from outside: each member is checked for its
 * type. Unknown parts are ignored, and so are the tools that the provider executes itself.
 */

import { countUtf8Bytes, type JsonObject } from '../../core/lib/index.js';
import type { Reply, ReplyBlock } from '../../core/model/index.js';
import { ReplyFaults } from '../wire/reply-faults.js';
import { joinTexts, limitDepth, parseArguments, toText } from '../wire/reply-parts.js';
import { type Finish, parseAiSdkUsage, parseFinish } from './finish.js';
import { createMetadataBlock, createThinkingBlock, toStorableMetadata } from './metadata.js';
import type { AiSdkModel } from './model.js';

interface PartBlock {
  readonly kind: 'text' | 'reasoning' | 'call';
  readonly id: string;
  name: string;
  body: string;
  metadata: JsonObject | null;
}

export class AiSdkReply {
  readonly #provider: string;
  #model: string;
  #finish: Finish | null = null;
  #usage: unknown = null;
  #receivedBytes = 0;
  readonly #faults = new ReplyFaults();
  /** Null for a part that the chain does not keep. */
  readonly #blocks: (PartBlock | null)[] = [];
  /** Blocks that still stream in. Packages use the id of a text or a reasoning part again for the next one. */
  readonly #open = new Map<string, PartBlock>();

  constructor({ provider, modelId }: AiSdkModel) {
    this.#provider = provider;
    this.#model = modelId;
  }

  /** Null until the last part has arrived. */
  get finish(): Finish | null {
    return this.#finish;
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** Whether any content has arrived. */
  get hasContent(): boolean {
    return this.#blocks.some((block) => block !== null);
  }

  /** The first fault of the reply, as a clause; null for none. */
  get fault(): string | null {
    return this.#faults.first;
  }

  /** Consumes the next part; returns its text, if any. */
  consume(part: JsonObject): string {
    this.#receivedBytes += countPartBytes(part);
    switch (part.type) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
        return this.#extend('text', part);
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        this.#extend('reasoning', part);
        return '';
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-end':
        if (part.providerExecuted !== true) this.#extend('call', part);
        return '';
      case 'tool-call':
        if (part.providerExecuted !== true) this.#complete(part);
        else this.#skip();
        return '';
      case 'tool-result':
      case 'file':
        this.#skip();
        return '';
      case 'response-metadata':
        if (typeof part.modelId === 'string' && part.modelId !== '') this.#model = part.modelId;
        return '';
      case 'finish':
        this.#finish = parseFinish(part.finishReason);
        this.#usage = part.usage;
        return '';
      default:
        return '';
    }
  }

  /** Returns the reply so far. */
  toReply(): Reply {
    return {
      model: this.#model,
      stopReason: this.#finish?.kind === 'complete' ? this.#finish.stopReason : 'end_turn',
      content: joinTexts(
        this.#blocks.flatMap((block) => (block === null ? [null] : toReplyBlocks(block, this.#provider))),
      ),
      ...parseAiSdkUsage(this.#usage),
    };
  }

  #extend(kind: PartBlock['kind'], part: JsonObject): string {
    const [, step] = /-(start|delta|end)$/.exec(toText(part.type)) ?? [];
    const key = `${kind} ${toText(part.id)}`;
    const block = step === 'start' ? undefined : this.#open.get(key);
    // The delta of a call without its start belongs to a tool that the provider executes.
    if (block === undefined && kind === 'call' && step !== 'start') return '';
    const target =
      block ?? this.#add({ kind, id: toText(part.id), name: toText(part.toolName), body: '', metadata: null });
    this.#open.set(key, target);
    const piece = step === 'delta' ? toText(part.delta) : '';
    if (this.#finish !== null && piece.trim() !== '') this.#faults.note('text came after the end of the reply');
    target.body += piece;
    // The package repeats what is still valid: the last metadata counts.
    target.metadata = toStorableMetadata(part.providerMetadata) ?? target.metadata;
    if (step === 'end' && kind !== 'call') this.#open.delete(key);
    return piece;
  }

  /** The whole call: its pieces, if any, came before. */
  #complete(part: JsonObject): void {
    if (this.#finish !== null) this.#faults.note('a call came after the end of the reply');
    const id = toText(part.toolCallId);
    const key = `call ${id}`;
    const block = this.#open.get(key) ?? this.#add({ kind: 'call', id, name: '', body: '', metadata: null });
    this.#open.delete(key);
    block.name = toText(part.toolName);
    block.body = typeof part.input === 'string' ? part.input : JSON.stringify(part.input ?? {});
    block.metadata = toStorableMetadata(part.providerMetadata) ?? block.metadata;
  }

  #skip(): void {
    if (this.#blocks.at(-1) !== null) this.#blocks.push(null);
  }

  #add(block: PartBlock): PartBlock {
    this.#faults.countPart(block.kind === 'call' ? 'call' : 'other');
    this.#blocks.push(block);
    return block;
  }
}

/** Returns the blocks for the chain. A text with metadata remains as it is: null separates it from the next. */
function toReplyBlocks(
  { kind, id, name, body, metadata }: PartBlock,
  provider: string,
): readonly (ReplyBlock | null)[] {
  if (kind === 'reasoning') {
    return body === '' && metadata === null ? [] : [createThinkingBlock(provider, body, metadata)];
  }
  const block: ReplyBlock =
    kind === 'text'
      ? { type: 'text', text: body }
      : { type: 'tool_use', id, name, input: limitDepth(parseArguments(body, {})) };
  if (metadata === null || (kind === 'text' && body.trim() === '')) return [block];
  return [createMetadataBlock(provider, metadata, kind === 'call' ? id : null), block, null];
}

/** Bytes of a part without its content. */
const partBytes = 64;

/** Raw chunks are the provider's events: they count even where they have no content. */
function countPartBytes(part: JsonObject): number {
  if (part.type === 'raw') return partBytes + countJsonCharacters(part.rawValue);
  return partBytes + countUtf8Bytes(toText(part.delta)) + countUtf8Bytes(toText(part.input));
}

function countJsonCharacters(value: unknown): number {
  try {
    return JSON.stringify(value)?.length ?? 0;
  } catch {
    return 0;
  }
}
