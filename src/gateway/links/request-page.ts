/** The page of an open request: what it is about, as far as the link's viewer may see it, and the form that decides it. */

import { formatLongDuration, formatTime, shorten } from '../../core/lib/display.js';
import { isObject, type Json } from '../../core/lib/json.js';
import { maxReasonLength } from '../../core/model/command.js';
import type { ReasoningView } from '../../core/view/reasoning-view.js';
import { countMasked, type RequestView } from '../../core/view/request-view.js';
import type { Link } from './link-token.js';
import { createPage, type Html, html } from './page.js';

/** Characters of one argument, and arguments. The page states how much is not shown. */
const maxValueLength = 8_000;
const maxMembers = 50;
/** Characters of the task, and of the agent's thought: both explain the call, and neither is decided. */
const maxTaskLength = 500;
const maxThoughtLength = 1_000;

export interface RequestPage {
  readonly link: Link;
  /** Of the chain, for the link's viewer. */
  readonly view: Pick<ReasoningView, 'agent' | 'task' | 'steps'>;
  readonly seen: RequestView;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export function createRequestPage({ link, view, seen, now }: RequestPage): Response {
  const { request, tool, reason, level } = seen;
  const title = tool === null ? 'Approve a call?' : `Approve ${tool}?`;
  const content = html`<h1>${title}</h1>
<p class="soft">Agent ${view.agent} · call ${link.call} of ${link.chainId}</p>
${request.risk === 'low' ? null : html`<span class="risk">${request.risk} risk</span>`}
${formatText('Task', view.task, maxTaskLength)}
${formatText('Why the agent calls it', findAgentReason(view, link.call), maxThoughtLength)}
${formatText(level === 'full' ? 'Why it needs approval' : 'Request', reason, maxValueLength)}
${formatInput(seen)}
${formatMasked(seen)}
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

/** The thought of the call's step; where the viewer may not read it, the reason that the call has for them. */
function findAgentReason({ steps }: Pick<ReasoningView, 'steps'>, call: string): string | null {
  const asked = steps.find(({ id }) => id === call);
  if (asked === undefined) return null;
  const thinking = steps.find(({ kind, number }) => kind === 'thinking' && number === asked.number);
  const thought = thinking?.level === 'full' && thinking.kind === 'thinking' ? thinking.thought : null;
  return thought ?? (asked.level === 'hidden' ? null : (asked.why?.text ?? null));
}

/** Nothing for a text that is empty, or that the viewer may not see. */
function formatText(title: string, text: string | null, maxLength: number): Html | null {
  if (text === null || text.trim() === '') return null;
  return html`<h2>${title}</h2><p class="why">${shorten(text, maxLength)}</p>`;
}

/** The masked part may be the one that matters for the decision. */
function formatMasked(seen: RequestView): Html | null {
  const masked = countMasked(seen);
  if (masked === 0) return null;
  const [count, them] = masked === 1 ? ['1 value is', 'it'] : [`${masked} values are`, 'them'];
  return html`<p class="warn">${count} masked for your role. Ask the sender if you need ${them}.</p>`;
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
