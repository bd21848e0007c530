/**
 * Threads: chains that follow each other in one conversation.
 *
 * 1. The start of a chain contains the earlier messages as data, so that the chain can be read, replayed and verified when
 *    the chains before it are gone.
 * 2. They are bounded: the newest are kept. A follow-up contains no more of a long thread than of a short one.
 */

import { check, clipText, countUtf8Bytes, isObject } from '../lib/index.js';
import { defaults } from './defaults.js';
import { checkSpans, type Lineage, type TextSpan } from './lineage.js';

/** The place of a follow-up in its thread. */
export interface ThreadRef {
  /** The id of the thread's first chain. */
  readonly id: string;
  /** From 2: the first chain of a thread has no reference. */
  readonly number: number;
  /** The chain that it follows. */
  readonly follows: string;
}

export interface ThreadMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

export interface EarlierMessage extends ThreadMessage {
  /** Parts that are sensitive in the chain of the message. Absent without any. */
  readonly sensitive?: readonly TextSpan[];
}

/** The messages before a chain's task, oldest first. */
export interface EarlierMessages {
  /** Number of older messages that are omitted. */
  readonly omitted: number;
  readonly messages: readonly EarlierMessage[];
  /** The tools that the chains of these messages called: rules may name sensitive values of theirs. */
  readonly tools: readonly CalledTool[];
}

export interface CalledTool {
  readonly tool: string;
  readonly toolKind: string;
}

/** A chain with the part of its start that names its thread. */
export interface ThreadPlace {
  readonly chainId: string;
  readonly input: { readonly thread?: ThreadRef; readonly lineage?: Lineage } | null;
}

/** Returns the id of the chain's thread; null for a sub-chain, which belongs to a call and to no conversation. */
export function findThreadId({ chainId, input }: ThreadPlace): string | null {
  if (input === null || input.lineage !== undefined) return null;
  return isThreadRef(input.thread) ? input.thread.id : chainId;
}

/** Returns the place of a chain in its thread, from 1. */
export function getThreadNumber(input: ThreadPlace['input']): number {
  return isThreadRef(input?.thread) ? input.thread.number : 1;
}

/** Returns the usual id of a chain in a thread. Two follow-ups that start at the same time get the same, and the server takes one. */
export function toThreadChainId(id: string, number: number): string {
  return `${id}~${number}`;
}

/** Returns the earlier messages of a start; null without any. Anybody can start a workflow with any input. */
export function findEarlier(input: unknown): EarlierMessages | null {
  const earlier: unknown = isObject(input) ? input.earlier : undefined;
  return checkEarlier.is(earlier) ? earlier : null;
}

/** Keeps the newest messages that fit, each at most half of the bytes. */
export function keepNewestMessages(
  { omitted, messages, tools }: EarlierMessages,
  maxBytes: number = defaults.earlierBytes,
): EarlierMessages {
  let left = maxBytes;
  const earlierMessages: EarlierMessage[] = [];
  for (const message of messages.slice(-defaults.earlierMessages).toReversed()) {
    const clipped = clipMessage(message, Math.floor(maxBytes / 2));
    left -= countUtf8Bytes(clipped.text);
    if (left < 0) break;
    earlierMessages.unshift(clipped);
  }
  return { omitted: omitted + messages.length - earlierMessages.length, messages: earlierMessages, tools };
}

/**
 * Where a text with sensitive parts is clipped, all of it counts as sensitive: a part may be cut. The parts that are left are
 * sensitive by themselves as well, because later chains may repeat one of them alone.
 */
function clipMessage(message: EarlierMessage, maxBytes: number): EarlierMessage {
  const text = clipText(message.text, maxBytes, 'plain');
  const { sensitive } = message;
  if (text === message.text || sensitive === undefined) return { ...message, text };
  const left = sensitive.flatMap(([start, end]): readonly TextSpan[] => {
    const part = message.text.slice(start, end);
    const at = part === '' ? -1 : text.indexOf(part);
    return at < 0 ? [] : [[at, at + part.length]];
  });
  return { ...message, text, sensitive: [[0, text.length], ...left] };
}

/** Returns the sensitive texts of earlier messages. */
export function listEarlierSensitiveTexts(input: unknown): readonly string[] {
  const messages = findEarlier(input)?.messages ?? [];
  return messages.flatMap(({ text, sensitive = [] }) => sensitive.map(([start, end]) => text.slice(start, end)));
}

export const checkThreadRef = check.shape<ThreadRef>({
  id: check.text,
  number: check.refine(check.count, (number) => number > 1, 'must be 2 or more'),
  follows: check.text,
});
export const isThreadRef = checkThreadRef.is;

const messageMembers = { text: check.text, role: check.oneOf(['user', 'assistant']) };
export const isThreadMessage = check.shape<ThreadMessage>(messageMembers).is;

/** The form of earlier messages (L7). */
export const checkEarlier = check.shape<EarlierMessages>({
  omitted: check.count,
  messages: check.refine(
    check.list(check.shape<EarlierMessage>({ ...messageMembers, sensitive: check.optional(checkSpans) })),
    ({ length }) => length <= defaults.earlierMessages,
    `must have at most ${defaults.earlierMessages} messages`,
  ),
  tools: check.list(check.shape<CalledTool>({ tool: check.text, toolKind: check.text })),
});
