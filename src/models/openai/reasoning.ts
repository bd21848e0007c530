/**
 * Reasoning in Chat Completions. The API has none; servers send it in fields of their own (`reasoning_content` of DeepSeek,
 * vLLM and llama.cpp, `reasoning` of Ollama and vLLM, `reasoning_details` of OpenRouter, `thinking_blocks` of LiteLLM, typed
 * content of Mistral, signed `extra_content` of Gemini's calls), and want it back in the same field while the model calls tools.
 */

import { isObject, type Json, type JsonObject } from '../../core/lib/index.js';
import type { ThinkingBlock } from '../../core/model/index.js';
import { createCarriedReasoning } from '../wire/carried-reasoning.js';
import type { ReplyFaults } from '../wire/reply-faults.js';
import { toText } from '../wire/reply-parts.js';

/** The fields with a list of details, and the members of a detail whose text people may read. */
const detailFields = ['reasoning_details', 'thinking_blocks'] as const;
const textMembers = ['text', 'summary', 'thinking'] as const;

type DetailField = (typeof detailFields)[number];

export class ReasoningStream {
  #field: 'reasoning_content' | 'reasoning' | null = null;
  #text = '';
  /** Merged pieces by their members: a piece may add to a detail, at a cost independent of what the detail has. */
  readonly #details: Map<string, Json>[] = [];
  #detailField: DetailField = 'reasoning_details';
  readonly #calls = new Map<string, JsonObject>();
  readonly #faults: ReplyFaults;

  constructor(faults: ReplyFaults) {
    this.#faults = faults;
  }

  consume(delta: JsonObject): void {
    const { content } = delta;
    const details = detailFields.find((name) => Array.isArray(delta[name]));
    if (details !== undefined) this.#addDetails(details, delta[details] as readonly Json[]);
    if (Array.isArray(content)) this.#text += content.map(readThinkingPart).join('');
    // Some servers send the same piece in both fields.
    const field = typeof delta.reasoning_content === 'string' ? 'reasoning_content' : 'reasoning';
    const text = delta[field];
    if (typeof text !== 'string' || text === '') return;
    this.#field ??= field;
    if (field === this.#field) this.#text += text;
  }

  /** @param extra the `extra_content` of a call, which is opaque */
  addCall(id: string, extra: JsonObject): void {
    this.#calls.set(id, extra);
  }

  /** Returns null if the server sent no reasoning. */
  toBlock(owner: string): ThinkingBlock | null {
    const details = this.#details.map((detail): JsonObject => Object.fromEntries(detail));
    const hasDetails = details.length > 0;
    const thinking = hasDetails ? details.map(readDetailText).join('') : this.#text;
    const hasCalls = this.#calls.size > 0;
    if (thinking === '' && !hasDetails && !hasCalls) return null;
    return createCarriedReasoning(owner, thinking, {
      ...(this.#field !== null && { field: this.#field }),
      ...(hasDetails && { detailField: this.#detailField, details: details.map(omitDetailText) }),
      ...(hasCalls && { calls: Object.fromEntries(this.#calls) }),
    });
  }

  #addDetails(field: DetailField, pieces: readonly Json[]): void {
    this.#detailField = field;
    for (const piece of pieces) {
      if (this.#faults.first !== null) return;
      if (isObject(piece)) this.#addDetail(piece);
    }
  }

  /** Joins the streamed pieces of one detail: the API accepts only whole ones. A signature is its last piece. */
  #addDetail(piece: JsonObject): void {
    const last = this.#details.at(-1);
    const member = textMembers.find((name) => typeof piece[name] === 'string');
    const isOpen = last !== undefined && toText(last.get('signature')) === '';
    const continues = isOpen && last.get('type') === piece.type && last.get('index') === piece.index;
    if (last === undefined || !continues || (member === undefined && typeof piece.data === 'string')) {
      this.#faults.countPart('other');
      this.#details.push(new Map(Object.entries(piece)));
      return;
    }
    const before = member === undefined ? '' : toText(last.get(member));
    for (const [name, value] of Object.entries(piece)) if (value !== null) last.set(name, value);
    if (member !== undefined) last.set(member, before + toText(piece[member]));
  }
}

/**
 * Restores the details of a block, in their field; null if it has none, or where its text is no longer the same, as
 * after masking.
 */
export function restoreDetails({ detailField, details }: JsonObject, thinking: string): readonly [string, Json] | null {
  const field = detailFields.find((name) => name === detailField);
  if (field === undefined || !Array.isArray(details) || !details.every(isObject)) return null;
  let at = 0;
  const restored = details.map((detail): JsonObject => {
    const member = textMembers.find((name) => typeof detail[name] === 'number');
    if (member === undefined) return detail;
    const from = at;
    at += Number(detail[member]);
    return { ...detail, [member]: thinking.slice(from, at) };
  });
  return at === thinking.length ? [field, restored] : null;
}

/** Replaces readable text by its length: it is the block's own text, which may be masked. */
function omitDetailText(detail: JsonObject): JsonObject {
  const member = textMembers.find((name) => typeof detail[name] === 'string');
  return member === undefined ? detail : { ...detail, [member]: toText(detail[member]).length };
}

function readDetailText(detail: JsonObject): string {
  const member = textMembers.find((name) => typeof detail[name] === 'string');
  return member === undefined ? '' : toText(detail[member]);
}

/** Reads a part `{ type: 'thinking', thinking: [{ type: 'text', text }] }`. */
function readThinkingPart(part: Json): string {
  if (!isObject(part) || part.type !== 'thinking' || !Array.isArray(part.thinking)) return '';
  return part.thinking.map((piece) => (isObject(piece) ? toText(piece.text) : '')).join('');
}
