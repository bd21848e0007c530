/**
 * What is said to a running chain. Anyone with the server's credentials can say anything: it is read here, once, for the
 * workflow and for readers of its history alike (L1). Never throws: what cannot be understood says why.
 */

import { shorten } from '../core/lib/display.js';
import { isObject, type Json } from '../core/lib/json.js';
import { oneLine } from '../core/lib/plain.js';
import type { Directed } from '../core/model/direction.js';
import type { Fact } from '../core/model/fact.js';
import { isNameless } from '../core/model/identity.js';
import { readDirection } from './direction-message.js';
import { messageNames } from './names.js';

export interface CancelRequest {
  /** The same however often the request is sent. */
  readonly id: string;
  readonly by: string | null;
  readonly reason: string | null;
  readonly summarize: boolean;
}

/** A message as a fact, but for its time. */
export type Message =
  | ({ readonly type: 'cancelRequested' } & CancelRequest)
  | ({ readonly type: 'directed' } & Directed);

export type MessageName = keyof typeof messageNames;

const nameOf: ReadonlyMap<string, MessageName> = new Map(
  Object.entries(messageNames).map(([name, spelt]) => [spelt, name as MessageName]),
);

/**
 * @param spelt the name of the signal or update
 * @param updateId stands for an id of its own, which people who write by hand leave out; null for a signal
 * @returns null when it is none of Longhand's
 */
export function readMessage(spelt: string, said: unknown, updateId: string | null): Message | null {
  const name = nameOf.get(spelt);
  if (name === undefined) return null;
  if (name === 'cancel') return { type: 'cancelRequested', ...readCancel(said) };
  return { type: 'directed', ...directed(name, said, updateId) };
}

export function factOf(message: Message, at: number): Fact {
  return { ...message, at };
}

/** Whatever came, as a request: who and why where they were said in so many words. */
export function readCancel(said: unknown): CancelRequest {
  const { id, by, reason, summarize } = isObject(said) ? said : {};
  return {
    id: words(id, 200) ?? 'unnamed',
    by: readName(by),
    reason: words(reason, 1_000),
    summarize: summarize === true,
  };
}

/** The roles that somebody claims, as a list or as one word. One with control characters is dropped: mended, it could be another. */
export function readRoles(said: unknown): readonly string[] {
  const { roles } = isObject(said) ? said : {};
  const claimed = typeof roles === 'string' ? [roles] : Array.isArray(roles) ? roles.slice(0, 32) : [];
  return claimed.flatMap((role) => words(role, 100) ?? []).filter((role) => !/\p{Cc}/u.test(role));
}

function directed(name: Exclude<MessageName, 'cancel'>, said: unknown, updateId: string | null): Directed {
  const { id, by, reason, chainId } = isObject(said) ? said : {};
  return {
    id: something(id, 200) ?? updateId,
    chainId: something(chainId, 1_000),
    by: readName(by),
    roles: readRoles(said),
    reason: words(reason, 1_000),
    direction: readDirection(name, isObject(said) ? said : {}),
  };
}

/** On one line, so that it forges no heading. One that cannot be seen is nobody's. */
function readName(said: Json | undefined): string | null {
  const name = typeof said === 'string' ? shorten(oneLine(said), 200) : null;
  return isNameless(name) ? null : name;
}

/** Nothing but space says nothing: nobody is called that. */
function something(said: Json | undefined, characters: number): string | null {
  return words(said, characters)?.trim() || null;
}

function words(said: Json | undefined, characters: number): string | null {
  return typeof said === 'string' ? shorten(said, characters) : null;
}
