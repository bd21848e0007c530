/**
 * Delivers an event to one webhook. Each attempt reads the webhook again: one that was deleted gets nothing more, and its secret
 * is in no history.
 *
 * D1 Only public addresses are requested, and those that `LONGHAND_WEBHOOK_PRIVATE_HOSTS` names: the owner of a webhook may be
 *    hostile. No redirect is followed, and the body of an answer is not read.
 * D2 An answer that another attempt may not have is retried; 410 deactivates the webhook.
 */

import { ApplicationFailure } from '@temporalio/common';
import type { DeliverInput, Delivery } from '../../contract/index.js';
import { LonghandError, parseRetryAfter } from '../../core/lib/index.js';
import type { WebhookEvent } from '../../core/model/index.js';
import { isInterested, type WebhookStore } from '../../store/index.js';
import {
  createHttpClient,
  type HostRule,
  HttpFailure,
  type HttpFailureCode,
  parseHostRules,
} from '../../tools/http/index.js';
import type { Dependencies } from '../context/dependencies.js';
import { createWebhookHeaders, formatWebhookBody } from './sign-webhook.js';

type Webhooks = Pick<Dependencies, 'webhooks'>;

/** Milliseconds for a delivery. */
const timeoutMs = 10_000;

export function listEventWebhooks({ webhooks }: Webhooks) {
  return async (event: WebhookEvent): Promise<readonly string[]> => {
    if (webhooks === null) throw createStoreFailure();
    return (await webhooks.list(event.tenant)).filter((webhook) => isInterested(webhook, event)).map(({ id }) => id);
  };
}

export function deliverWebhook({ webhooks }: Webhooks) {
  return async ({ webhookId, event }: DeliverInput): Promise<Delivery> => {
    if (webhooks === null) throw createStoreFailure();
    const subscription = await webhooks.findWithSecret(webhookId);
    if (subscription === null || !isInterested(subscription.webhook, event)) return 'gone';
    const body = formatWebhookBody(event);
    const now = Date.now();
    const answer = await post(
      subscription.webhook.url,
      body,
      createWebhookHeaders({ ...subscription, id: event.id, body }, now),
    );
    await recordAttempt(webhooks, webhookId, { at: now, result: answer.result });
    if (answer.kind === 'gone') await webhooks.deactivate(webhookId);
    switch (answer.kind) {
      case 'delivered':
      case 'gone':
        return answer.kind;
      case 'rejected':
        throw ApplicationFailure.nonRetryable(`The delivery failed: ${answer.result}.`, 'WebhookRejected');
      case 'retry':
        throw createRetriedFailure(`The delivery failed: ${answer.result}.`, answer.afterMs);
    }
  };
}

/** Another worker of the queue, which has a store, started the notifier: it may take the next attempt. */
function createStoreFailure(): ApplicationFailure {
  return createRetriedFailure('This worker has no store.');
}

function createRetriedFailure(message: string, afterMs: number | null = null): ApplicationFailure {
  return ApplicationFailure.create({
    message,
    type: 'WebhookFailed',
    ...(afterMs === null ? {} : { nextRetryDelay: afterMs }),
  });
}

/** The last attempt is for people: its loss is not a reason to deliver again. */
async function recordAttempt(
  webhooks: WebhookStore,
  id: string,
  attempt: Parameters<WebhookStore['recordAttempt']>[1],
): Promise<void> {
  await webhooks.recordAttempt(id, attempt).catch(() => {});
}

/** `result` names a status or a code: no URL, which may contain a password of the receiver. */
type Answer =
  | { readonly kind: 'delivered' | 'gone' | 'rejected'; readonly result: string }
  | { readonly kind: 'retry'; readonly result: string; readonly afterMs: number | null };

async function post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  const client = createHttpClient({
    rules: createRules(url, process.env.LONGHAND_WEBHOOK_PRIVATE_HOSTS),
    timeoutMs,
    idleMs: timeoutMs,
    maxRedirects: 0,
    maxBytes: 65_536,
  });
  try {
    const {
      status,
      headers: answered,
      close,
    } = await client.send({
      url,
      method: 'POST',
      headers,
      body: Buffer.from(body),
      followRedirects: false,
      signal: AbortSignal.timeout(timeoutMs),
    });
    close();
    return toAnswer(status, answered['retry-after']);
  } catch (error) {
    if (error instanceof HttpFailure)
      return permanent.has(error.code)
        ? { kind: 'rejected', result: error.code }
        : { kind: 'retry', result: error.code, afterMs: null };
    // A signal that fired: the message of any other error may name the URL.
    return {
      kind: 'retry',
      result: error instanceof Error && error.name === 'TimeoutError' ? 'timed_out' : 'failed',
      afterMs: null,
    };
  }
}

const permanent: ReadonlySet<HttpFailureCode> = new Set([
  ...(['url_invalid', 'scheme_not_allowed', 'host_not_allowed', 'port_not_allowed', 'address_not_allowed'] as const),
]);

/** Client errors that a later attempt may not have. */
const temporaryStatuses: ReadonlySet<number> = new Set([408, 409, 425, 429]);

function toAnswer(status: number, retryAfter: string | undefined): Answer {
  const result = String(status);
  if (status >= 200 && status < 300) return { kind: 'delivered', result };
  if (status === 410) return { kind: 'gone', result };
  if (status >= 500 || temporaryStatuses.has(status)) return { kind: 'retry', result, afterMs: toRetryMs(retryAfter) };
  return { kind: 'rejected', result };
}

const longestRetryMs = 3_600_000;

/** At most an hour: a receiver cannot postpone deliveries without end. Null for a time that has passed: the usual one applies. */
function toRetryMs(retryAfter: string | undefined): number | null {
  const ms = parseRetryAfter(retryAfter, Date.now());
  return ms === null || ms === 0 ? null : Math.min(ms, longestRetryMs);
}

/** D1. Each public host, at the port of the URL; others by permission. */
function createRules(url: string, permitted: string | undefined): readonly HostRule[] {
  const { port } = new URL(url);
  const hosts = (permitted ?? '').split(',').map((host) => host.trim());
  const parsed = parseHostRules(
    [],
    hosts.filter((host) => host !== ''),
  );
  if ('problem' in parsed)
    throw new LonghandError(
      'invalid_environment',
      `Invalid LONGHAND_WEBHOOK_PRIVATE_HOSTS: ${parsed.problem.replace(/^allowPrivate/, 'it')}.`,
    );
  return [{ match: 'any', name: '*', port: port === '' ? null : Number(port), isPrivate: false }, ...parsed.rules];
}
