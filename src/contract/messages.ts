/**
 * What is said to a running chain. Anyone with the server's credentials can say anything: it is read here, once, for the
 * workflow and for readers of its history alike (L1). Never throws: what cannot be understood says why.
 */

import { shorten } from '../core/lib/display.js';
import { isObject, type Json } from '../core/lib/json.js';
import { toOneLine } from '../core/lib/plain-text.js';
import type { ReceivedCommand } from '../core/model/command.js';
import type { Fact } from '../core/model/fact.js';
import { isNameless } from '../core/model/identity.js';
import { messageNames } from './names.js';
import { parseCommand } from './parse-command.js';

export interface CancelRequest {
  /** The same however often the request is sent. */
  readonly id: string;
  readonly by: string | null;
  readonly reason: string | null;
  readonly summarize: boolean;
}

/** A message as a fact, but for its time. */
export type ChainMessage =
  | ({ readonly type: 'cancelRequested' } & CancelRequest)
  | ({ readonly type: 'commandReceived' } & ReceivedCommand);

export type MessageName = keyof typeof messageNames;

const namesByWireName: ReadonlyMap<string, MessageName> = new Map(
  Object.entries(messageNames).map(([name, spelt]) => [spelt, name as MessageName]),
);

/**
 * @param spelt the name of the signal or update
 * @param updateId stands for an id of its own, which people who write by hand leave out; null for a signal
 * @returns null when it is none of Longhand's
 */
export function parseMessage(spelt: string, said: unknown, updateId: string | null): ChainMessage | null {
  const name = namesByWireName.get(spelt);
  if (name === undefined) return null;
  if (name === 'cancel') return { type: 'cancelRequested', ...parseCancelRequest(said) };
  return { type: 'commandReceived', ...parseReceivedCommand(name, said, updateId) };
}

export function toMessageFact(message: ChainMessage, at: number): Fact {
  return { ...message, at };
}

/** Whatever came, as a request: who and why where they were said in so many words. */
export function parseCancelRequest(said: unknown): CancelRequest {
  const { id, by, reason, summarize } = isObject(said) ? said : {};
  return {
    id: parseShortText(id, 200) ?? 'unnamed',
    by: parseSenderName(by),
    reason: parseShortText(reason, 1_000),
    summarize: summarize === true,
  };
}

/** The roles that somebody claims, as a list or as one word. One with control characters is dropped: mended, it could be another. */
export function parseRoles(said: unknown): readonly string[] {
  const { roles } = isObject(said) ? said : {};
  const claimed = typeof roles === 'string' ? [roles] : Array.isArray(roles) ? roles.slice(0, 32) : [];
  return claimed.flatMap((role) => parseShortText(role, 100) ?? []).filter((role) => !/\p{Cc}/u.test(role));
}

function parseReceivedCommand(
  name: Exclude<MessageName, 'cancel'>,
  said: unknown,
  updateId: string | null,
): ReceivedCommand {
  const { id, by, reason, chainId } = isObject(said) ? said : {};
  return {
    id: parseNonBlankText(id, 200) ?? updateId,
    chainId: parseNonBlankText(chainId, 1_000),
    by: parseSenderName(by),
    roles: parseRoles(said),
    reason: parseShortText(reason, 1_000),
    command: parseCommand(name, isObject(said) ? said : {}),
  };
}

/** On one line, so that it forges no heading. One that cannot be seen is nobody's. */
function parseSenderName(said: Json | undefined): string | null {
  const name = typeof said === 'string' ? shorten(toOneLine(said), 200) : null;
  return isNameless(name) ? null : name;
}

/** Nothing but space says nothing: nobody is called that. */
function parseNonBlankText(said: Json | undefined, characters: number): string | null {
  return parseShortText(said, characters)?.trim() || null;
}

function parseShortText(said: Json | undefined, characters: number): string | null {
  return typeof said === 'string' ? shorten(said, characters) : null;
}
