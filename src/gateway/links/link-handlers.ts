/**
 * Handlers of signed links.
 *
 * S1 A GET decides nothing: scanners of mail and previews of chats fetch every link.
 * S2 A link decides once. Its id is that of the command, so the chain itself rejects a second one.
 * S3 A link shows its request masked, to the role that it was created for, and decides only the version that it was created for.
 */

import { CommandRejectedError } from '../../client/index.js';
import { isLonghandError } from '../../core/lib/index.js';
import { maxReasonLength } from '../../core/model/index.js';
import { createViewer, viewRequest } from '../../core/view/index.js';
import type { linkOperations } from '../../http/index.js';
import type { Duration } from '../../options/index.js';
import { toViewer } from '../identity/identity.js';
import { findLinkApiKey, isKeyRevoked } from '../identity/link-api-key.js';
import { createRateLimits } from '../identity/rate-limits.js';
import type { RequestContext } from '../request/context.js';
import type { Handlers } from '../request/handler.js';
import { GatewayError } from '../request/problems.js';
import { readBodyText } from '../request/read-body.js';
import { resolveSender } from '../request/requester.js';
import {
  createRejection,
  crossSiteForm,
  type Decided,
  invalidForm,
  invalidLink,
  type LinkAnswer,
  revokedLink,
  toAnswer,
  toDecidedResponse,
  toResponse,
} from './answers.js';
import { createLink } from './create-link.js';
import { answerQuestion, createQuestionPage } from './limit-link.js';
import { formatLinkUrl } from './link-address.js';
import { type LinkState, readLinkState } from './link-state.js';
import type { Link, LinkSigner } from './link-token.js';
import { createRequestPage } from './request-page.js';

export interface LinkOptions {
  /** Null if no keys are configured: then there are no links. */
  readonly signer: LinkSigner | null;
  /** Address under which people reach the gateway, as `parseGatewayAddress` returns it. Default: that of the request. */
  readonly publicUrl?: string | undefined;
  /** Path below which the gateway is mounted, as `parseGatewayAddress` returns it. */
  readonly basePath?: string | undefined;
}

/** Of one link. Its token is checked before, which costs one HMAC; what follows reads the chain. */
const requestsPerMinute = 30;

export function createLinkHandlers({ signer, publicUrl, basePath = '' }: LinkOptions): Handlers<typeof linkOperations> {
  const limits = createRateLimits({ requestsPerMinute });

  const openLink = async (token: string, context: RequestContext): Promise<Link | LinkAnswer> => {
    const link = signer?.verify(token) ?? null;
    if (link === null) return invalidLink;
    const rate = await limits.consume({ id: link.id, requestsPerMinute });
    if (!rate.allowed) throw createTooManyError(rate.retryAfterSeconds);
    return link.key !== null && (await isKeyRevoked(context, link.key)) ? revokedLink : link;
  };

  return {
    createLink: async ({ params: { call }, body }, context) => {
      const { identity, chain, request } = context;
      if (signer === null) throw createNoKeysError();
      const view = body.as ?? 'end_user';
      // A credential shows nobody more than it may see; what an end user may see is the least.
      if (body.as !== undefined) toViewer(identity, view);
      // The same sender as in a command: a second name for one person would be a second vote.
      const { by, roles } = resolveSender(identity, body);
      const expires = body.expires as Duration | undefined;
      const key = await findLinkApiKey(context, identity);
      const { token, expiresAt } = await createLink(chain.source, signer, { call, by, roles, view, key, expires });
      return { url: formatLinkUrl(publicUrl ?? `${new URL(request.url).origin}${basePath}`, token), expiresAt };
    },

    showLink: async ({ params: { token } }, context) => {
      const { request, longhand } = context;
      const link = await openLink(token, context);
      if ('code' in link) return toResponse(request, link);
      const now = Date.now();
      const state = await readLinkState(longhand, link, now);
      if (state.kind !== 'open' && state.kind !== 'asking') return toResponse(request, toAnswer(state, link));
      return showRequest(context, link, state, now);
    },

    decideByLink: async ({ params: { token } }, context) => {
      const { request, longhand } = context;
      const link = await openLink(token, context);
      if ('code' in link) return toResponse(request, link);
      context.nameInLog({ caller: `link ${link.id}`, chainId: link.chainId });
      if (isCrossSiteForm(request, publicUrl)) return toResponse(request, crossSiteForm);
      const form = await readForm(request);
      if (form === null) return toResponse(request, invalidForm);
      const state = await readLinkState(longhand, link, Date.now());
      if (state.kind !== 'open' && state.kind !== 'asking') return toResponse(request, toAnswer(state, link));
      const answer = await decide(longhand, link, form, state);
      return 'code' in answer ? toResponse(request, answer) : toDecidedResponse(request, answer);
    },
  };
}

function createNoKeysError(): GatewayError {
  return new GatewayError('not_configured', 'The gateway has no keys for links. Set LONGHAND_LINK_KEYS.');
}

function createTooManyError(seconds: number): GatewayError {
  return new GatewayError('too_many_requests', `Too many requests with this link. Try again in ${seconds} s.`, {
    headers: { 'retry-after': `${seconds}` },
  });
}

/** S3. */
async function showRequest(
  { longhand, visibility }: Pick<RequestContext, 'longhand' | 'visibility'>,
  link: Link,
  state: Extract<LinkState, { readonly kind: 'open' | 'asking' }>,
  now: number,
): Promise<Response> {
  const viewer = createViewer(link.view, { tenant: link.tenant });
  const view = await longhand.getHandle(link.chainId).view(viewer, visibility);
  if (state.kind === 'asking') return createQuestionPage(link, state.open, view, now);
  return createRequestPage({ link, view, seen: viewRequest(state.request, view), now });
}

interface Form {
  readonly decision: 'approve' | 'deny';
  readonly reason: string | undefined;
}

const maxFormBytes = 16_384;

async function readForm(request: Request): Promise<Form | null> {
  const mediaType = request.headers.get('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(mediaType)) return null;
  const form = new URLSearchParams(await readBodyText(request, maxFormBytes));
  const [decision, ...others] = form.getAll('decision');
  // Two decisions contradict each other.
  if (others.length > 0 || (decision !== 'approve' && decision !== 'deny')) return null;
  const reason = form.get('reason')?.trim() ?? '';
  return reason.length > maxReasonLength ? null : { decision, reason: reason === '' ? undefined : reason };
}

/**
 * The token is the secret, so no other page can send a valid form. A browser that reports where a form is from is believed
 * anyway. With `referrer-policy: no-referrer`, it sends `origin: null` for our own form.
 */
function isCrossSiteForm(request: Request, publicUrl: string | undefined): boolean {
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) return site !== 'same-origin' && site !== 'none';
  const origin = request.headers.get('origin');
  if (origin === null || origin === 'null') return false;
  // A proxy may have ended TLS: the scheme is not compared.
  const own = [request.url, ...(publicUrl === undefined ? [] : [publicUrl])].map((url) => new URL(url).host);
  return !URL.canParse(origin) || !own.includes(new URL(origin).host);
}

/** S2. */
async function decide(
  longhand: RequestContext['longhand'],
  link: Link,
  form: Form,
  asked: Extract<LinkState, { readonly kind: 'open' | 'asking' }>,
): Promise<Decided | LinkAnswer> {
  const { decision, reason } = form;
  const { id, chainId, call, digest, by, roles } = link;
  const chain = longhand.getHandle(chainId);
  const options = { by, roles, digest, id, reason };
  try {
    if (asked.kind === 'asking') {
      const status = await answerQuestion(longhand, link, asked.open.question, form);
      return { decision, status, isOfLimit: true };
    }
    const { status } = await (decision === 'approve' ? chain.approve(call, options) : chain.deny(call, options));
    return { decision, status };
  } catch (error) {
    if (isLonghandError(error) && error.code === 'chain_not_found') return invalidLink;
    if (!(error instanceof CommandRejectedError)) throw error;
    if (error.rejection === 'already_approved') return toAnswer({ kind: 'used' }, link);
    // Another decision may have been faster.
    const state = await readLinkState(longhand, link, Date.now());
    const isOpen = state.kind === 'open' || state.kind === 'asking';
    return isOpen ? createRejection(error.message) : toAnswer(state, link);
  }
}
