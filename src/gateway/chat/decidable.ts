/** Which open requests of a chain its chat may decide: those that the caller sees and is entitled to. */

import type { OpenRequest } from '../../core/engine/index.js';
import { isObject, type Json } from '../../core/lib/index.js';
import { isSamePerson } from '../../core/model/index.js';
import type { WaitingRequest } from './chain-reader.js';
import type { ChatQuestion, ChatRequest } from './chat-part.js';

/** The person on whose behalf the request acts, and what it may do. */
export interface Decider {
  readonly by: string;
  readonly roles: readonly string[];
  readonly canDecide: boolean;
}

/**
 * Returns the open requests that the caller may decide. The chain checks each decision again; this decides only what is
 * offered.
 *
 * @param waitingRequests the waiting requests in the caller's view
 * @param user for whom the chain runs
 */
export function listDecidable(
  open: readonly OpenRequest[],
  waitingRequests: readonly WaitingRequest[],
  decider: Decider,
  user: string | null,
): readonly ChatRequest[] {
  if (!decider.canDecide) return [];
  return open.flatMap((request) => {
    const view = waitingRequests.find(({ call }) => call === request.call);
    if (view === undefined || request.kind === 'outcome' || !isEntitled(request, decider, user)) return [];
    // The view is of an earlier version of the call.
    if (view.digest !== null && view.digest !== request.digest) return [];
    const { call, kind, digest, risk, expiresAt } = request;
    const { input, reason } = view;
    const tool = view.tool ?? 'tool';
    const question = kind === 'question' ? toQuestion(input, reason) : null;
    return [{ call, kind, tool, input, digest, reason, risk, question, expiresAt }];
  });
}

function isEntitled(
  { roles, byRequester, votes }: Pick<OpenRequest, 'roles' | 'byRequester' | 'votes'>,
  { by, roles: own }: Decider,
  user: string | null,
): boolean {
  if (roles.length > 0 && !roles.some((role) => own.includes(role))) return false;
  if (!byRequester && isSamePerson(by, user)) return false;
  return !votes.some((vote) => isSamePerson(vote.by, by));
}

/**
 * A question is as `ask_user` has it in its arguments.
 *
 * @param line of a viewer who sees no arguments: it contains the question
 */
function toQuestion(input: Json, line: string | null): ChatQuestion {
  const { question, options, schema } = isObject(input) ? input : {};
  return {
    text: typeof question === 'string' ? question : (line ?? ''),
    options: Array.isArray(options) ? options.filter((option): option is string => typeof option === 'string') : [],
    schema: isObject(schema) ? schema : null,
  };
}
