/**
 * The body and the headers of a delivery, by the specification Standard Webhooks: its libraries verify them.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */

import { createHmac } from 'node:crypto';
import { toIsoTime } from '../../core/lib/index.js';
import type { WebhookEvent } from '../../core/model/index.js';

/** Returns the body, the same for each attempt. */
export function formatWebhookBody({ id, type, at, requests, ...event }: WebhookEvent): string {
  const { chainId, rootId, agent, tenant, user, startedAt, outcome, reasonCode, paused, question, heldBy, budget } =
    event;
  return JSON.stringify({
    type,
    timestamp: toIsoTime(at),
    data: {
      id,
      chainId,
      rootId,
      agent,
      tenant,
      user,
      startedAt: toIsoTime(startedAt),
      outcome,
      reasonCode,
      paused,
      ...(question === undefined ? {} : { question }),
      heldBy,
      requests: requests.map(({ call, kind, askedAt, expiresAt, roles }) => ({
        call,
        kind,
        askedAt: toIsoTime(askedAt),
        roles,
        expiresAt: expiresAt === null ? null : toIsoTime(expiresAt),
      })),
      ...(budget === undefined ? {} : { budget: { ...budget, resetsAt: toIsoTime(budget.resetsAt) } }),
    },
  });
}

/** @param secret `whsec_…` @param sentAt milliseconds since 1970, of this attempt: receivers reject old ones */
export function createWebhookHeaders(
  { id, body, secret }: { readonly id: string; readonly body: string; readonly secret: string },
  sentAt: number,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(sentAt / 1_000));
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'content-type': 'application/json',
    'user-agent': 'Longhand',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
