/**
 * Ids of chats. All of them are computed from the caller and the chat's id, so that every gateway finds the chains of a chat
 * and none needs to store which chains it has.
 *
 * 1. The chains of a chat are numbered in the order of their start: `chat-<digest>`, `chat-<digest>-2`, …
 * 2. The digest contains tenant, user and agent: the same chat id of another tenant or user names other chains.
 */

import { createHash } from 'node:crypto';
import type { Identity } from '../identity/identity.js';

export interface ChatKey extends Partial<Pick<Identity, 'tenant' | 'user'>> {
  readonly agent: string;
  /** As the client chose it. */
  readonly chatId: string;
}

/** Returns the id of the first chain of a chat. */
export function computeFirstChainId({ tenant = null, user = null, agent, chatId }: ChatKey): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([tenant, user, agent, chatId]))
    .digest('hex');
  return `chat-${digest.slice(0, 40)}`;
}

/** @param number from 1 */
export function toChainId(firstId: string, number: number): string {
  return number === 1 ? firstId : `${firstId}-${number}`;
}

/** Returns the number of a chain in the chat; null for a chain of another chat. */
export function findChainNumber(firstId: string, chainId: string): number | null {
  if (chainId === firstId) return 1;
  if (!chainId.startsWith(`${firstId}-`)) return null;
  const number = chainId.slice(firstId.length + 1);
  return /^[1-9]\d{0,5}$/.test(number) && number !== '1' ? Number(number) : null;
}

/** A call, as clients name it: unique in the whole chat. */
export function formatCallId(chainId: string, call: string): string {
  return `${chainId}:${call}`;
}

/** A request about a call. The digest pins what its reader saw: a decision about a changed request is rejected. */
export function formatRequestId(chainId: string, call: string, digest: string): string {
  return `${chainId}:${call}:${digest}`;
}

export interface ParsedRequestId {
  readonly chainId: string;
  readonly call: string;
  /** Null for the id of a call. */
  readonly digest: string | null;
}

/** Parses the id of a request or of a call; null for any other text. */
export function parseRequestId(id: string): ParsedRequestId | null {
  const [, chainId, call, digest] = /^(chat-[0-9a-f-]{40,48}):(\d+\.\d+)(?::([0-9a-f]{8,64}))?$/.exec(id) ?? [];
  if (chainId === undefined || call === undefined) return null;
  return { chainId, call, digest: digest ?? null };
}

/** Returns the chain that an id of a message or of a call begins with; null for an id of the client's own. */
export function findChainId(firstId: string, id: string): string | null {
  const [chainId = ''] = id.split(':', 1);
  return findChainNumber(firstId, chainId) === null ? null : chainId;
}
