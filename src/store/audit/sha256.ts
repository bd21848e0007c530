/** SHA-256 by Node's own, which is many times as fast as the core's. */

import { hash, randomBytes } from 'node:crypto';

export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

/** 128 bits. */
export function random(): string {
  return randomBytes(16).toString('hex');
}
