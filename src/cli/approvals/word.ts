/** What somebody decides of a request, and how it is said to the chain. */

import type { Receipt } from '../../client/commands/direct.js';
import type { People, Speaker } from '../../client/commands/people.js';
import type { Json } from '../../core/lib/json.js';

export type Word =
  | { readonly what: 'approve'; readonly input?: Json | undefined; readonly always?: boolean | undefined }
  | { readonly what: 'deny' }
  | { readonly what: 'answer'; readonly answer: Json }
  | { readonly what: 'happened'; readonly observation?: Json | undefined }
  | { readonly what: 'not_happened' }
  | { readonly what: 'give_up' };

/** @param digest of the request that was read; undefined for the request as it stands */
export function sayWord(
  chain: People,
  { call, digest }: { readonly call: string; readonly digest?: string | undefined },
  word: Word,
  speaker: Speaker,
): Promise<Receipt> {
  const said = { ...speaker, digest };
  switch (word.what) {
    case 'approve':
      return chain.approve(call, { ...said, input: word.input, always: word.always });
    case 'deny':
      return chain.deny(call, said);
    case 'answer':
      return chain.answer(call, word.answer, said);
    case 'happened':
      return chain.outcome(call, 'happened', { ...said, observation: word.observation });
    case 'not_happened':
    case 'give_up':
      return chain.outcome(call, word.what, said);
  }
}

/** The call may be named behind it. */
export const done = {
  approve: 'Approved',
  deny: 'Denied',
  answer: 'Answered',
  happened: 'Said to have happened:',
  not_happened: 'Said not to have happened, and run again:',
  give_up: 'Given up:',
} as const satisfies { readonly [what in Word['what']]: string };

/** The same as something still to be done. */
export const wish = {
  approve: 'approve',
  deny: 'deny',
  answer: 'answer',
  happened: 'it happened,',
  not_happened: 'it did not happen,',
  give_up: 'give up',
} as const satisfies { readonly [what in Word['what']]: string };
