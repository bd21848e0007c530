/** A chain that waits for people, as somebody may see it (L8). */

import type { InboxChain, Unreadable, Waiting } from '../../client/list/inbox.js';
import { nothingBeside, reason } from '../../core/view/reason.js';
import type { Viewing } from '../access/viewed.js';
import { type SeenRequest, seenRequest } from './seen-request.js';

export interface SeenChain extends Omit<InboxChain, 'requests' | 'paused'> {
  readonly requests: readonly SeenRequest[];
  /** In words; null where it is not paused. */
  readonly paused: { readonly by: string | null; readonly at: number; readonly text: string } | null;
}

export interface SeenInbox {
  readonly chains: readonly SeenChain[];
  /** How many wait besides those that were asked for, none of them for longer. */
  readonly others: number;
  /** What cannot be read here, and may wait as well. */
  readonly unreadable: readonly Unreadable[];
}

export function seenChain({ found, read }: Waiting, seen: Viewing): SeenChain {
  const view = seen.reasoning(reason(read.chain, { ...nothingBeside, attempts: read.attempts }));
  const { agent, task, tenant, user, steps } = view;
  const notice = steps.findLast((step) => step.level === 'full' && step.kind === 'notice' && step.notice === 'paused');
  const text = notice?.level === 'full' && notice.kind === 'notice' ? notice.text : 'Paused.';
  const { paused } = found;
  return {
    ...found,
    agent,
    task,
    tenant,
    user,
    requests: found.requests.map((request) => seenRequest(request, view)),
    paused: paused === null ? null : { by: paused.by, at: paused.at, text },
  };
}
