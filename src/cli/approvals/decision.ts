/** What a person decides about a request, who they are, and how the decision is sent to the chain. */

import type { Receipt } from '../../client/commands/direct.js';
import type { People, Speaker } from '../../client/commands/people.js';
import type { Json } from '../../core/lib/json.js';
import { loggedIn } from '../access/open.js';

export type Decision =
  | { readonly what: 'approve'; readonly input?: Json | undefined; readonly always?: boolean | undefined }
  | { readonly what: 'deny' }
  | { readonly what: 'answer'; readonly answer: Json }
  | { readonly what: 'happened'; readonly observation?: Json | undefined }
  | { readonly what: 'not_happened' }
  | { readonly what: 'give_up' };

export interface SpeakerFlags {
  readonly by?: string;
  readonly role: readonly string[];
  readonly reason?: string;
}

export interface NamedSpeaker extends Speaker {
  readonly by: string;
  readonly roles: readonly string[];
}

/** Returns who speaks: as the flags say, by default the user who is logged in. */
export function speakerOf({ by, role, reason }: SpeakerFlags): NamedSpeaker {
  return { by: by ?? loggedIn(), roles: role, reason };
}

/** @param digest of the request that was read; undefined for the request as it is now */
export function sendDecision(
  chain: People,
  { call, digest }: { readonly call: string; readonly digest?: string | undefined },
  decision: Decision,
  speaker: Speaker,
): Promise<Receipt> {
  const options = { ...speaker, digest };
  switch (decision.what) {
    case 'approve':
      return chain.approve(call, { ...options, input: decision.input, always: decision.always });
    case 'deny':
      return chain.deny(call, options);
    case 'answer':
      return chain.answer(call, decision.answer, options);
    case 'happened':
      return chain.outcome(call, 'happened', { ...options, observation: decision.observation });
    case 'not_happened':
    case 'give_up':
      return chain.outcome(call, decision.what, options);
  }
}

/** A decision that was carried out, in words before `call 3.1`. */
export const done = {
  approve: 'Approved',
  deny: 'Denied',
  answer: 'Answered',
  happened: 'Said to have happened:',
  not_happened: 'Said not to have happened, and run again:',
  give_up: 'Given up:',
} as const satisfies { readonly [what in Decision['what']]: string };

/** The same for a decision that no worker has taken yet. */
export const wish = {
  approve: 'approve',
  deny: 'deny',
  answer: 'answer',
  happened: 'it happened,',
  not_happened: 'it did not happen,',
  give_up: 'give up',
} as const satisfies { readonly [what in Decision['what']]: string };

/** Parses JSON that a person typed; undefined for anything else. */
export function parseJson(written: string): Json | undefined {
  try {
    return JSON.parse(written) as Json;
  } catch {
    return undefined;
  }
}
