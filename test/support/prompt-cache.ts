/**
 * The prompt cache of the Messages API, as its documentation describes it, so that a test or a bench counts what real requests
 * read from it and write to it:
 *
 * 1. A request is a list of blocks: tools, system prompt, messages. What is stored are beginnings of it that end at a
 *    breakpoint; a beginning is found again only if all its blocks are the same. Breakpoints themselves do not count.
 * 2. `tool_choice` and `thinking` belong to the messages: another value changes none of the blocks before them.
 * 3. A breakpoint finds a stored beginning that ends at it or up to 19 blocks before it, so 20 places are looked at.
 * 4. The member `cache_control` of the request is a breakpoint at its last block. With it, a request has at most four.
 * 5. Beginnings of fewer tokens than the model's minimum are not stored.
 *
 * Time is not part of it: stored beginnings last five minutes after their last use.
 */

import { createHash } from 'node:crypto';
import { isObject, type Json, type JsonObject } from '../../src/core/lib/json.js';

/** Tokens of a request's input. Their sum is the whole input. */
export interface CachedInput {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface PromptCache {
  /** Counts a request, and stores its beginnings. */
  readonly count: (body: JsonObject) => CachedInput;
}

interface Block {
  /** Digest of the request up to here. */
  readonly digest: string;
  /** Tokens of the request up to here. */
  readonly tokens: number;
  readonly isBreakpoint: boolean;
}

const placesLookedAt = 20;
const maxBreakpoints = 4;
const bytesPerToken = 4;

export function createPromptCache({ minTokens }: { readonly minTokens: number }): PromptCache {
  const stored = new Set<string>();
  return {
    count: (body) => {
      const blocks = listBlocks(body);
      const breakpoints = blocks.flatMap(({ isBreakpoint }, at) => (isBreakpoint ? [at] : []));
      const found = breakpoints.map((at) => findStored(blocks, at, stored));
      const read = blocks[Math.max(-1, ...found)]?.tokens ?? 0;
      const written = breakpoints.map((at) => blocks[at]!).filter(({ tokens }) => tokens >= minTokens);
      for (const { digest } of written) stored.add(digest);
      const cached = Math.max(read, ...written.map(({ tokens }) => tokens));
      return { cacheRead: read, cacheWrite: cached - read, input: (blocks.at(-1)?.tokens ?? 0) - cached };
    },
  };
}

/** Returns the place of the longest stored beginning that a breakpoint finds, or -1. */
function findStored(blocks: readonly Block[], breakpoint: number, stored: ReadonlySet<string>): number {
  const first = Math.max(0, breakpoint - placesLookedAt + 1);
  const at = blocks.slice(first, breakpoint + 1).findLastIndex(({ digest }) => stored.has(digest));
  return at < 0 ? -1 : first + at;
}

/** Counts what a cache without breakpoints would read: the longest beginning that the request before had too. */
export function createPrefixCounter(): (parts: readonly string[]) => number {
  let before: readonly string[] = [];
  return (parts) => {
    const changed = parts.findIndex((part, at) => part !== before[at]);
    before = parts;
    const same = parts.slice(0, changed < 0 ? parts.length : changed);
    return toTokens(same.reduce((bytes, part) => bytes + Buffer.byteLength(part), 0));
  };
}

/** @throws Error for more breakpoints than the API takes */
function listBlocks(body: JsonObject): readonly Block[] {
  const parts = [
    ...toList(body.tools).map((tool) => ({ block: tool, place: 'tool' })),
    ...toContent(body.system).map((block) => ({ block, place: 'system' })),
    ...toList(body.messages)
      .filter(isObject)
      .flatMap(({ role, content }) => toContent(content).map((block) => ({ block, place: String(role) }))),
  ];
  const settings = JSON.stringify([body.tool_choice ?? null, body.thinking ?? null]);
  let digest = String(body.model);
  let bytes = 0;
  const blocks = parts.map(({ block, place }, at): Block => {
    const { cache_control: own, ...rest } = isObject(block) ? block : { text: block };
    const text = JSON.stringify(rest);
    const isInMessages = place === 'user' || place === 'assistant';
    digest = createHash('sha256')
      .update(JSON.stringify([digest, place, isInMessages ? settings : '', text]))
      .digest('hex');
    bytes += Buffer.byteLength(text);
    const isLast = at === parts.length - 1;
    return { digest, tokens: toTokens(bytes), isBreakpoint: isSet(own) || (isLast && isSet(body.cache_control)) };
  });
  const breakpoints = countBreakpoints(body);
  if (breakpoints > maxBreakpoints)
    throw new Error(`A maximum of ${maxBreakpoints} blocks with cache_control may be provided. Found ${breakpoints}.`);
  return blocks;
}

/** Counts the breakpoints of a request, its own included. */
export function countBreakpoints(value: Json): number {
  if (Array.isArray(value)) return value.reduce((sum: number, each: Json) => sum + countBreakpoints(each), 0);
  if (!isObject(value)) return 0;
  const { cache_control: own, input: _, input_schema: __, ...rest } = value;
  return (isSet(own) ? 1 : 0) + countBreakpoints(Object.values(rest));
}

/** Returns a request, or a part of one, without breakpoints. */
export function removeBreakpoints<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (key, member: unknown) => (key === 'cache_control' ? undefined : member)));
}

function isSet(control: Json | undefined): boolean {
  return isObject(control) && control.type === 'ephemeral';
}

function toTokens(bytes: number): number {
  return Math.floor(bytes / bytesPerToken);
}

function toContent(content: Json | undefined): readonly Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : toList(content);
}

function toList(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
