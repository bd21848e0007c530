/** The page of an open request: what it is about, as far as the link's viewer may see it, and the form that decides it. */

import { formatLongDuration, formatTime, isObject, type Json, shorten, toValueText } from '../../core/lib/index.js';
import { maxReasonLength, type VisibilityLevel } from '../../core/model/index.js';
import {
  formatOpenRequest,
  type ReasoningView,
  type RequestLine,
  type RequestPart,
  type RequestView,
  toRemarkText,
} from '../../core/view/index.js';
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
  const { tool, level, request } = seen;
  const title = tool === null ? 'Approve a call?' : `Approve ${tool}?`;
  // No names of other people.
  const lines = formatOpenRequest({ ...seen, excludedUser: null }, now);
  const list = (...parts: readonly RequestPart[]) =>
    lines.filter(({ part }) => parts.includes(part)).map((line) => formatPart(line, level));
  const content = html`<h1>${title}</h1>
<p class="soft">Agent ${view.agent} · call ${link.call} of ${link.chainId}</p>
<p class="${request.risk === 'low' ? 'soft' : 'risk'}">${list('remarks')}</p>
${formatText('Task', view.task, maxTaskLength)}
${formatText('Why the agent calls it', findAgentReason(view, link.call), maxThoughtLength)}
${list('reason', 'subject', 'masked')}
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

/** Formats a part of a request for approval, which has no choices. */
function formatPart({ part, content, remarks }: RequestLine, level: VisibilityLevel): Html {
  switch (part) {
    case 'reason':
      return formatText(level === 'full' ? 'Why it needs approval' : 'Request', toValueText(content), maxValueLength);
    case 'remarks':
      return html`${remarks.map(toRemarkText).join(' · ')}`;
    case 'masked':
      return html`<p class="warn">${toValueText(content)} for your role. Ask the sender if you need to see more.</p>`;
    case 'subject':
    case 'choice':
    case 'unanswered':
      return formatInput(content, level);
  }
}

/** The thought of the call's step; where the viewer may not read it, the reason that the call has for them. */
function findAgentReason({ steps }: Pick<ReasoningView, 'steps'>, call: string): string | null {
  const step = steps.find(({ id }) => id === call);
  if (step === undefined) return null;
  const thinking = steps.find(({ kind, number }) => kind === 'thinking' && number === step.number);
  const thought = thinking?.level === 'full' && thinking.kind === 'thinking' ? thinking.thought : null;
  return thought ?? (step.level === 'hidden' ? null : (step.why?.text ?? null));
}

/** Nothing for a text that is empty, or that the viewer may not see. */
function formatText(title: string, text: string | null, maxLength: number): Html {
  if (text === null || text.trim() === '') return html``;
  return html`<h2>${title}</h2><p class="why">${shorten(text, maxLength)}</p>`;
}

function formatInput(input: Json, level: VisibilityLevel): Html {
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
