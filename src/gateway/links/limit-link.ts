/** Links that answer the question of a chain at a limit: continue with the proposed limit, or stop. Their call is `limit`. */

import type { Longhand } from '../../client/index.js';
import { formatOffer } from '../../core/engine/index.js';
import { computeDigest, formatLongDuration, formatTime } from '../../core/lib/index.js';
import { type ChainState, type LimitQuestion, maxReasonLength, type Pause } from '../../core/model/index.js';
import type { ReasoningView } from '../../core/view/index.js';
import type { Link } from './link-token.js';
import { createPage, html } from './page.js';

/** The `call` of such a link: no call has this id. */
export const limitCall = 'limit';

export interface OpenQuestion extends Pick<Pause, 'roles' | 'at'> {
  readonly question: LimitQuestion;
  /** A link answers only the question that it was created for. */
  readonly digest: string;
}

export function findOpenQuestion({ paused, stop }: ChainState, now: number): OpenQuestion | null {
  if (stop !== null || paused?.question === undefined) return null;
  const { question, at, roles } = paused;
  if (question.expiresAt !== null && question.expiresAt <= now) return null;
  const digest = computeDigest(JSON.stringify([question.reason, question.raise]));
  return { question, digest, at, ...(roles === undefined ? {} : { roles }) };
}

/** The sentence of the limit is that of the chain's own notice, as far as the viewer may see it. */
export function createQuestionPage(
  link: Link,
  { question }: OpenQuestion,
  { agent, steps }: Pick<ReasoningView, 'agent' | 'steps'>,
  now: number,
): Response {
  const notice = steps.findLast(
    (step) => step.level === 'full' && step.kind === 'notice' && step.notice === 'limit_question',
  );
  const text = notice?.level === 'full' && notice.kind === 'notice' ? notice.text : 'The chain reached a limit.';
  const title = `${formatOffer(question)}?`;
  const content = html`<h1>${title}</h1>
<p class="soft">Agent ${agent} · ${link.chainId}</p>
<p class="why">${text}</p>
<form method="post">
<label for="reason">Reason (optional)</label>
<textarea id="reason" name="reason" maxlength="${maxReasonLength}"></textarea>
<div class="buttons">
<button class="yes" name="decision" value="approve">Continue</button>
<button class="no" name="decision" value="deny">Stop</button>
</div>
</form>
<p class="soft">You decide as ${link.by}. This link is for you alone and expires in
${formatLongDuration(link.expiresAt - now)}, at ${formatTime(link.expiresAt)}.</p>`;
  return createPage(200, title, content);
}

/** The question closes with its answer, so a link answers once. @throws {CommandRejectedError} */
export async function answerQuestion(
  longhand: Longhand,
  { chainId, by, roles }: Link,
  { raise }: LimitQuestion,
  { decision, reason }: { readonly decision: 'approve' | 'deny'; readonly reason: string | undefined },
): Promise<'accepted' | 'sent'> {
  const chain = longhand.getHandle(chainId);
  const sender = { by, roles, reason };
  if (decision === 'deny') {
    const { status } = await chain.cancel(sender);
    return status === 'ended' ? 'accepted' : status;
  }
  return (await (raise === null ? chain.resume(sender) : chain.raiseLimits(raise, sender))).status;
}
