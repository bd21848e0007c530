/** For whom or what a chain waits, as its viewer may know it. */

import { sayApproval } from '../../core/view/approval-summary.js';
import type { ReasoningView, StepView } from '../../core/view/reasoning-view.js';

/** `Waiting for approval of git_push`, or why it is paused; null where it waits for nobody, or nobody may know. */
export function waitsFor({ state, steps }: Pick<ReasoningView, 'state' | 'steps'>): string | null {
  if (state !== 'waiting') return null;
  const open = steps.flatMap((step) => waitingFor(step) ?? []);
  return open.length > 0 ? [...new Set(open)].join('; ') : paused(steps);
}

/** `publisher waits for a person (tea/1.2)`: what a chain waits for that waits for its sub-chains. */
export function waitsBelow({ children }: Pick<ReasoningView, 'children'>): string | null {
  const waiting = Object.values(children).flatMap((begun) => begun.filter(({ state }) => state === 'waiting'));
  const told = waiting.map(({ agent, chainId }) => `${agent} waits for a person (${chainId})`);
  return told.length === 0 ? null : told.join('; ');
}

function waitingFor(step: StepView): string | null {
  if (step.level === 'hidden' || step.kind !== 'approval' || step.status !== 'waiting') return null;
  return step.level === 'summary' ? step.summary : sayApproval(step);
}

function paused(steps: ReasoningView['steps']): string | null {
  const last = steps.findLast((step) => {
    return step.level === 'full' && step.kind === 'notice' && (step.notice === 'paused' || step.notice === 'resumed');
  });
  return last?.level === 'full' && last.kind === 'notice' && last.notice === 'paused' ? last.text : null;
}
