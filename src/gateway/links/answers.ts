/** Answers of links that are not the request itself: as a page for people, as JSON and problem details for programs. */

import { formatTime } from '../../core/lib/index.js';
import type { Decision } from '../../core/model/index.js';
import type { ProblemAnswer } from '../request/problems.js';
import type { LinkState } from './link-state.js';
import type { Link } from './link-token.js';
import { createPage, html } from './page.js';

/** Stable, for programs. */
type LinkAnswerCode =
  | 'link_invalid'
  | 'link_expired'
  | 'link_revoked'
  | 'link_used'
  | 'request_decided'
  | 'request_changed'
  | 'request_expired'
  | 'chain_ended'
  | 'decision_rejected'
  | 'form_invalid'
  | 'origin_rejected';

export interface LinkAnswer {
  readonly code: LinkAnswerCode;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
}

/** Whether the client reads JSON: a program asks for it, a browser for HTML. */
function wantsJson(request: Request): boolean {
  const accept = request.headers.get('accept') ?? '';
  return accept.includes('application/json') && !wantsPage(request);
}

export function toResponse(request: Request, { code, status, title, detail }: LinkAnswer): Response {
  if (!wantsJson(request)) return createPage(status, title, html`<h1>${title}</h1><p>${detail}</p>`);
  return new Response(JSON.stringify({ type: `urn:longhand:${code}`, title, status, detail, code }), {
    status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
  });
}

/** Whether a browser shows the answer to a person. */
export function wantsPage(request: Request): boolean {
  return (request.headers.get('accept') ?? '').includes('text/html');
}

/** A problem as a page, for a person. */
export function createProblemPage({ problem, headers }: Pick<ProblemAnswer, 'problem' | 'headers'>): Response {
  const { status, title, detail } = problem;
  const page = createPage(
    status,
    title,
    html`<h1>${title}</h1>${detail === undefined ? null : html`<p>${detail}</p>`}`,
  );
  for (const [name, value] of Object.entries(headers)) page.headers.set(name, value);
  return page;
}

/** No detail: an invalid token and one of another gateway have the same answer. */
export const invalidLink: LinkAnswer = {
  code: 'link_invalid',
  status: 404,
  title: 'This link is not valid',
  detail: 'Check that the whole link was copied, or ask its sender for a new one.',
};

export const revokedLink: LinkAnswer = {
  code: 'link_revoked',
  status: 410,
  title: 'This link was withdrawn',
  detail: 'The API key that created it was revoked. Ask for a new link if the request is still open.',
};

export const crossSiteForm: LinkAnswer = {
  code: 'origin_rejected',
  status: 403,
  title: 'The form of another page was rejected',
  detail: 'Open the link itself, and decide on its page.',
};

export const invalidForm: LinkAnswer = {
  code: 'form_invalid',
  status: 400,
  title: 'The form was not understood',
  detail:
    'Send application/x-www-form-urlencoded with decision=approve or decision=deny, and a reason if there is one.',
};

/** @param detail why the chain rejects the decision */
export function createRejection(detail: string): LinkAnswer {
  return { code: 'decision_rejected', status: 409, title: 'The decision was rejected', detail };
}

/** Returns the answer for a link that can no longer decide. */
export function toAnswer(state: Exclude<LinkState, { readonly kind: 'open' | 'asking' }>, link: Link): LinkAnswer {
  switch (state.kind) {
    case 'used':
      return {
        code: 'link_used',
        status: 409,
        title: 'You have decided already',
        detail: 'Your decision was recorded. The request waits for other people.',
      };
    case 'decided':
      return {
        code: 'request_decided',
        status: 409,
        title: 'This request is decided already',
        detail: `Call ${link.call} was ${decisionTexts[state.decision.kind]} at ${formatTime(state.decision.at)}.`,
      };
    case 'changed':
      return {
        code: 'request_changed',
        status: 409,
        title: 'This request has changed',
        detail: 'The link is about an earlier version of the call, and decides nothing. Ask for a new link.',
      };
    case 'link_expired':
      return {
        code: 'link_expired',
        status: 410,
        title: 'This link has expired',
        detail: `It was valid until ${formatTime(link.expiresAt)}. Ask for a new one if the request is still open.`,
      };
    case 'request_expired':
      return {
        code: 'request_expired',
        status: 410,
        title: 'The time to decide has expired',
        detail: `The request of call ${link.call} was closed without a decision of a person.`,
      };
    case 'ended':
      return {
        code: 'chain_ended',
        status: 409,
        title: 'The chain has ended',
        detail: 'Its request does not need a decision any more.',
      };
    case 'missing':
      return invalidLink;
  }
}

const decisionTexts: { readonly [kind in Decision['kind']]: string } = {
  approved: 'approved',
  denied: 'denied',
  answered: 'answered',
  happened: 'resolved as happened',
  not_happened: 'resolved as not happened',
  given_up: 'given up',
  expired: 'closed by time',
};

export interface Decided {
  readonly decision: 'approve' | 'deny';
  /** Absent for the decision of a call. */
  readonly isOfLimit?: true;
  readonly status: 'accepted' | 'sent';
}

export function toDecidedResponse(request: Request, { decision, status, isOfLimit }: Decided): Response {
  if (wantsJson(request))
    return new Response(JSON.stringify({ decision, status }), {
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    });
  const titles = isOfLimit ? { approve: 'Continued', deny: 'Stopped' } : { approve: 'Approved', deny: 'Denied' };
  const title = titles[decision];
  const detail =
    status === 'accepted'
      ? 'Your decision is recorded. You can close this page.'
      : 'Your decision is stored, and takes effect as soon as a worker runs. The first one that was sent counts.';
  return createPage(200, title, html`<h1>${title}</h1><p>${detail}</p>`);
}
