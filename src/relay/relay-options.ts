/** What both sides of the relay share: whether it is on, and how its pieces are sealed. */

import type { TokenChannel } from '../contract/index.js';
import { LonghandError } from '../core/lib/index.js';
import { createSealer, type Encryption, type Sealer } from '../encryption/index.js';

/** A channel in this process, used in addition to the relay; false for no tokens at all. */
export type TokenOption = TokenChannel | false;

export interface RelayOptions {
  readonly tokens: TokenOption | undefined;
  readonly encryption: Encryption | null;
  readonly env: NodeJS.ProcessEnv;
}

/** Validates `LONGHAND_TOKENS`: `on`, the default, or `off`. @throws {LonghandError} `invalid_environment` */
export function checkTokenRelay(env: NodeJS.ProcessEnv): void {
  const value = env.LONGHAND_TOKENS || 'on';
  if (value === 'on' || value === 'off') return;
  throw new LonghandError('invalid_environment', `Invalid LONGHAND_TOKENS "${value}". Use on or off.`);
}

/** Whether tokens may leave this process. @throws {LonghandError} `invalid_environment` */
export function isRelayOn(tokens: TokenOption | undefined, env: NodeJS.ProcessEnv): boolean {
  checkTokenRelay(env);
  return tokens !== false && env.LONGHAND_TOKENS !== 'off';
}

export function toSealer(encryption: Encryption | null): Sealer | null {
  return encryption === null ? null : createSealer(encryption.keys, Date.now, 'tokens');
}
