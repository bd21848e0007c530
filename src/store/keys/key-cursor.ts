/** The place in a list of keys, as text for a caller to send back. */

import { LonghandError } from '../../core/lib/errors.js';

export interface KeyPlace {
  readonly createdAt: number;
  readonly id: string;
}

export function formatKeyCursor({ createdAt, id }: KeyPlace): string {
  return `${createdAt}.${id}`;
}

/** @throws {LonghandError} `invalid_cursor` */
export function parseKeyCursor(cursor: string): KeyPlace {
  const [, createdAt, id] = /^(\d{1,15})\.([0-9a-z]{1,40})$/.exec(cursor) ?? [];
  if (createdAt === undefined || id === undefined) {
    throw new LonghandError('invalid_cursor', 'Invalid cursor. Use the one of the page before, or none for the first.');
  }
  return { createdAt: Number(createdAt), id };
}
