/**
 * Says a word to a chain, and tells what came of it: one of several approvals is a vote, and the call waits on. What the
 * chain does not take is told with what the person can do.
 */

import type { Receipt } from '../../client/commands/direct.js';
import { RefusedError } from '../../client/errors/errors.js';
import type { ChainHandle } from '../../client/handle.js';
import type { OpenRequest } from '../../client/read/requests.js';
import type { NamedSpeaker } from './speaker.js';
import { whyNot } from './why-not.js';
import { withRole } from './with-role.js';
import { done, sayWord, type Word, wish } from './word.js';

export interface SaidWord {
  readonly receipt: Receipt;
  /** Whether it waits on; null where no worker has taken the word yet. */
  readonly open: boolean | null;
  readonly done: string;
  readonly wish: string;
}

/** @throws RefusedError */
export async function say(
  chain: ChainHandle,
  asked: { readonly call: string; readonly digest?: string | undefined; readonly request: OpenRequest | undefined },
  word: Word,
  speaker: NamedSpeaker,
): Promise<SaidWord> {
  const { call, request } = asked;
  const receipt = await sayWord(chain, asked, word, speaker).catch(async (error: unknown) => {
    throw error instanceof RefusedError ? await explained(error, { chain, call, request, speaker }) : error;
  });
  const unanswered = word.what === 'deny' && request?.kind === 'question';
  const about = {
    receipt,
    wish: unanswered ? `leave call ${call} unanswered` : `${wish[word.what]} call ${call}`,
    done: unanswered ? `Left call ${call} unanswered` : `${done[word.what]} call ${call}`,
  };
  if (receipt.status === 'sent') return { ...about, open: null };
  // Only approvals can need several.
  const after = word.what === 'approve' ? (await chain.requests()).find((each) => each.call === call) : undefined;
  return after === undefined ? { ...about, open: false } : { ...about, open: true, done: voteText(after) };
}

function voteText({ call, votes, approvers, roles }: OpenRequest): string {
  const left = approvers - votes.length;
  const people = left === 1 ? 'one more' : `${left} more`;
  const of = roles.length === 0 ? '' : ` of ${roles.join(' or ')}`;
  return `${votes.length} of ${approvers} have approved call ${call}; ${people}${of} ${left === 1 ? 'has' : 'have'} to`;
}

async function explained(
  error: RefusedError,
  about: {
    readonly chain: ChainHandle;
    readonly call: string;
    readonly request: OpenRequest | undefined;
    readonly speaker: NamedSpeaker;
  },
): Promise<RefusedError> {
  const { chain, call, request, speaker } = about;
  const saying = (sentence: string) => new RefusedError(chain.chainId, error.why, sentence);
  if (request === undefined) {
    const why = await whyNot(chain, call);
    if (why === null) return error;
    return saying(error.why === 'ended' ? `${error.message} ${why}` : why);
  }
  return withRole(error, request.roles, speaker);
}
