/** The page of an open request: what it is about, as far as the link's viewer may see it, and the form that decides it. */

import type { RequestView } from '../../client/list/request-view.js';
import { formatLongDuration, formatTime } from '../../core/lib/display.js';
import { isObject, type Json } from '../../core/lib/json.js';
import type { Link } from './link-token.js';
import { createPage, type Html, html } from './page.js';

/** Most characters of a reason: the chain records no more. */
export const maxReasonLength = 1_000;

/** Characters of one argument, and arguments. The rest is counted: nobody approves it unawares. */
const maxValueLength = 8_000;
const maxMembers = 50;

export interface RequestPage {
  readonly link: Link;
  readonly agent: string;
  readonly seen: RequestView;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export function createRequestPage({ link, agent, seen, now }: RequestPage): Response {
  const { request, tool, reason } = seen;
  const title = tool === null ? 'Approve a call?' : `Approve ${tool}?`;
  const content = html`<h1>${title}</h1>
<p class="soft">Agent ${agent} · call ${link.call} of ${link.chainId}</p>
${request.risk === 'low' ? null : html`<span class="risk">${request.risk} risk</span>`}
${reason === null ? null : html`<p class="why">${reason}</p>`}
${formatInput(seen)}
${formatVotes(seen)}
<form method="post">
<label for="reason">Reason (optional; the agent sees the reason of a denial)</label>
<textarea id="reason" name="reason" maxlength="${maxReasonLength}"></textarea>
<div class="buttons">
<button class="yes" name="decision" value="approve">Approve</button>
<button class="no" name="decision" value="deny">Deny</button>
</div>
</form>
<p class="soft">You decide as ${link.by}${link.roles.length === 0 ? '' : ` (${link.roles.join(', ')})`}, once. This link is for you
alone and expires in ${formatLongDuration(link.expiresAt - now)}, at ${formatTime(link.expiresAt)}.</p>`;
  return createPage(200, title, content);
}

function formatInput({ level, input }: RequestView): Html {
  if (level !== 'full')
    return html`<p class="soft">The arguments are not shown to ${level === 'hidden' ? 'you' : 'your role'}.</p>`;
  if (!isObject(input)) return html`<dl><dt>Arguments</dt><dd>${formatValue(input)}</dd></dl>`;
  const members = Object.entries(input);
  const rows = members
    .slice(0, maxMembers)
    .map(([name, value]) => html`<dt>${name}</dt><dd>${formatValue(value)}</dd>`);
  const rest = members.length - maxMembers;
  return html`<dl>${rows}</dl>${rest > 0 ? html`<p class="risk">${rest} more arguments are not shown</p>` : null}`;
}

function formatValue(value: Json): Html {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const rest = text.length - maxValueLength;
  if (rest <= 0) return html`<pre>${text}</pre>`;
  return html`<pre>${text.slice(0, maxValueLength)}</pre><span class="risk">${rest} more characters are not shown</span>`;
}

function formatVotes({ request: { approvers, votes } }: RequestView): Html | null {
  if (approvers < 2) return null;
  return html`<p class="soft">${approvers} different people must approve. Approved so far: ${votes.length}.</p>`;
}
