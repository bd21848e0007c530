/** A person's decision about a request, its sender, and the command that carries it. */

import type { ChainCommands, CommandReceipt, Sender } from '../../client/index.js';
import type { Json } from '../../core/lib/index.js';
import { getSystemUser } from '../access/open.js';

export type PersonDecision =
  | { readonly kind: 'approve'; readonly input?: Json | undefined; readonly always?: boolean | undefined }
  | { readonly kind: 'deny' }
  | { readonly kind: 'answer'; readonly answer: Json }
  | { readonly kind: 'happened'; readonly observation?: Json | undefined }
  | { readonly kind: 'not_happened' }
  | { readonly kind: 'give_up' };

export interface SenderFlags {
  readonly by?: string;
  readonly role: readonly string[];
  readonly reason?: string;
  readonly json?: boolean;
}

export interface IdentifiedSender extends Sender {
  readonly by: string;
  readonly roles: readonly string[];
}

/** Returns the sender that the flags name, by default the logged-in user. */
export function toSender({ by, role, reason }: SenderFlags): IdentifiedSender {
  return { by: by ?? getSystemUser(), roles: role, reason };
}

/** Sends a decision as a command. @param digest of the request that was read; undefined for the current request */
export function sendDecision(
  chain: ChainCommands,
  { call, digest }: { readonly call: string; readonly digest?: string | undefined },
  decision: PersonDecision,
  sender: Sender,
): Promise<CommandReceipt> {
  const options = { ...sender, digest };
  switch (decision.kind) {
    case 'approve':
      return chain.approve(call, { ...options, input: decision.input, always: decision.always });
    case 'deny':
      return chain.deny(call, options);
    case 'answer':
      return chain.answer(call, decision.answer, options);
    case 'happened':
      return chain.resolveOutcome(call, 'happened', { ...options, observation: decision.observation });
    case 'not_happened':
    case 'give_up':
      return chain.resolveOutcome(call, decision.kind, options);
  }
}

/** Text of a decision that was carried out; `call 3.1` follows. */
export const doneTexts = {
  approve: 'Approved',
  deny: 'Denied',
  answer: 'Answered',
  happened: 'Resolved as happened:',
  not_happened: 'Resolved as not happened, executed again:',
  give_up: 'Gave up on',
} as const satisfies { readonly [what in PersonDecision['kind']]: string };

/** The same for a decision that no worker has taken yet. */
export const pendingTexts = {
  approve: 'approve',
  deny: 'deny',
  answer: 'answer',
  happened: 'resolve as happened:',
  not_happened: 'resolve as not happened:',
  give_up: 'give up on',
} as const satisfies { readonly [what in PersonDecision['kind']]: string };
