/**
 * Parses messages to a running chain. They are untrusted: parsed here once, for the workflow and its readers (L1).
 * Never throws: an unreadable message contains its problem.
 */

import { isObject, type Json, shorten, toOneLine } from '../core/lib/index.js';
import { type Fact, isNameless, maxReasonLength, type ReceivedCommand } from '../core/model/index.js';
import { messageNames } from './names.js';
import { parseCommand } from './parse-command.js';

interface CancelRequest {
  /** The same for every delivery of the request. */
  readonly id: string;
  readonly by: string | null;
  readonly reason: string | null;
  readonly summarize: boolean;
}

/** A message as a fact without its time. */
export type ChainMessage =
  | ({ readonly type: 'cancelRequested' } & CancelRequest)
  | ({ readonly type: 'commandReceived' } & ReceivedCommand);

export type MessageName = keyof typeof messageNames;

const namesByWireName: ReadonlyMap<string, MessageName> = new Map(
  Object.entries(messageNames).map(([name, spelt]) => [spelt, name as MessageName]),
);

/**
 * @param spelt the name of the signal or update
 * @param updateId replaces the command's id, which people leave out; null for a signal
 * @returns null for a message that is not Longhand's
 */
export function parseMessage(spelt: string, value: unknown, updateId: string | null): ChainMessage | null {
  const name = namesByWireName.get(spelt);
  if (name === undefined) return null;
  if (name === 'cancel') return { type: 'cancelRequested', ...parseCancelRequest(value) };
  return { type: 'commandReceived', ...parseReceivedCommand(name, value, updateId) };
}

export function toMessageFact(message: ChainMessage, at: number): Fact {
  return { ...message, at };
}

/** Parses any value as a cancel request. Sender and reason are taken if they are texts. */
function parseCancelRequest(value: unknown): CancelRequest {
  const { id, by, reason, summarize } = isObject(value) ? value : {};
  return {
    id: parseShortText(id, 200) ?? 'unnamed',
    by: parseSenderName(by),
    reason: parseShortText(reason, maxReasonLength),
    summarize: summarize === true,
  };
}

/**
 * Returns the roles that the sender claims, as a list or one text. A role with control characters is dropped: cleaned,
 * it could be another.
 */
export function parseRoles(value: unknown): readonly string[] {
  const { roles } = isObject(value) ? value : {};
  const claimed = typeof roles === 'string' ? [roles] : Array.isArray(roles) ? roles.slice(0, 32) : [];
  return claimed.flatMap((role) => parseShortText(role, 100) ?? []).filter((role) => !/\p{Cc}/u.test(role));
}

function parseReceivedCommand(
  name: Exclude<MessageName, 'cancel'>,
  value: unknown,
  updateId: string | null,
): ReceivedCommand {
  const { id, by, reason, chainId } = isObject(value) ? value : {};
  return {
    id: parseNonBlankText(id, 200) ?? updateId,
    chainId: parseNonBlankText(chainId, 1_000),
    by: parseSenderName(by),
    roles: parseRoles(value),
    reason: parseShortText(reason, maxReasonLength),
    command: parseCommand(name, isObject(value) ? value : {}),
  };
}

/** One line, so that a name cannot forge a heading. An invisible name is not a name. */
function parseSenderName(value: Json | undefined): string | null {
  const name = typeof value === 'string' ? shorten(toOneLine(value), 200) : null;
  return isNameless(name) ? null : name;
}

/** Returns null for blank text. */
function parseNonBlankText(value: Json | undefined, characters: number): string | null {
  return parseShortText(value, characters)?.trim() || null;
}

function parseShortText(value: Json | undefined, characters: number): string | null {
  return typeof value === 'string' ? shorten(value, characters) : null;
}
