/** Chains that wait for people, as a viewer may see them (L8). */

import type { NoticeCode } from '../../core/model/index.js';
import {
  buildReasoning,
  emptyReasoningContext,
  type Reasoning,
  type ReasoningView,
  type RequestView,
  viewRequest,
} from '../../core/view/index.js';
import type { Hold, InboxChain, InboxQuestion, UnreadableChain, WaitingChain } from './inbox.js';

/** Without the tool that no worker has: the text names it, where the viewer may see it. */
type HoldView = { readonly text: string } & (
  | Exclude<Hold, { readonly by: 'worker' }>
  | Omit<Extract<Hold, { readonly by: 'worker' }>, 'missing'>
);

export interface WaitingChainView extends Omit<InboxChain, 'requests' | 'paused' | 'held'> {
  readonly requests: readonly RequestView[];
  /** With the text of the notice; null if the chain is not paused. */
  readonly paused: {
    readonly by: string | null;
    readonly at: number;
    readonly text: string;
    readonly question: InboxQuestion | null;
  } | null;
  /** With the text of the notice; null if the chain is not held. */
  readonly held: HoldView | null;
}

export interface InboxView {
  readonly chains: readonly WaitingChainView[];
  /** Number of waiting chains that are not listed; each has waited for a shorter time. */
  readonly others: number;
  /** Chains that cannot be read here; they may wait as well. */
  readonly unreadable: readonly UnreadableChain[];
}

/** @param viewReasoning returns a chain as the viewer may see it */
export function viewWaitingChain(
  { chain, read }: WaitingChain,
  viewReasoning: (reasoning: Reasoning) => ReasoningView,
): WaitingChainView {
  const view = viewReasoning(buildReasoning(read.chain, { ...emptyReasoningContext, attempts: read.attempts }));
  const { agent, task, tenant, user, steps } = view;
  const { paused, held } = chain;
  return {
    ...chain,
    agent,
    task,
    tenant,
    user,
    requests: chain.requests.map((request) => viewRequest(request, view)),
    paused:
      paused === null
        ? null
        : {
            ...{ by: paused.by, at: paused.at, question: paused.question },
            text:
              findNoticeText(steps, paused.question === null ? 'paused' : 'limit_question') ?? describePause(paused),
          },
    held: held === null ? null : viewHold(held, findNoticeText(steps, 'held') ?? `Held by the ${held.by}.`),
  };
}

/** For a viewer who may not see the notice. */
function describePause({ question }: NonNullable<InboxChain['paused']>): string {
  return question === null ? 'Paused.' : `Paused at a limit. ${question.text}, or stop.`;
}

function viewHold(hold: Hold, text: string): HoldView {
  if (hold.by !== 'worker') return { ...hold, text };
  const { missing: _, ...rest } = hold;
  return { ...rest, text };
}

/** Returns the text of the last notice with this code, where the viewer may see it. */
function findNoticeText(steps: ReasoningView['steps'], code: NoticeCode): string | null {
  const notice = steps.findLast((step) => step.level === 'full' && step.kind === 'notice' && step.notice === code);
  return notice?.level === 'full' && notice.kind === 'notice' ? notice.text : null;
}
