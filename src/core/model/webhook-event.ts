/** Events of chains for webhooks: names, numbers and codes, and no content, so that nothing needs masking. */

import type { BudgetCounter } from './budget-rejection.js';
import type { RequestKind } from './request.js';

/**
 * `chain-waiting`: a request was opened, or the chain was paused. `chain-held`: it cannot continue before a repair. `budget-alert`: a
 * stated part of a budget is used; it goes to the webhooks of the budget's tenant, or to those without a tenant.
 */
export const webhookEventTypes = ['chain-ended', 'chain-waiting', 'chain-held', 'budget-alert'] as const;

export type WebhookEventType = (typeof webhookEventTypes)[number];

/** One event of one chain. Times are milliseconds since 1970. */
export interface WebhookEvent {
  /** The same for every report of the event, by any worker. */
  readonly id: string;
  readonly type: WebhookEventType;
  readonly at: number;
  readonly chainId: string;
  /** The root of its tree; its own id for a root. */
  readonly rootId: string;
  readonly agent: string;
  readonly tenant: string | null;
  readonly user: string | null;
  readonly startedAt: number;
  /** Null unless the chain has ended; `terminated` where it did not end by itself. */
  readonly outcome: string | null;
  /** Code of the stop reason; null for a chain that runs or did not end by itself. */
  readonly reasonCode: string | null;
  /** Open requests. */
  readonly requests: readonly WebhookRequest[];
  readonly paused: boolean;
  /** Code of the limit that a chain asks about. Absent for another wait. */
  readonly question?: string;
  /** Null unless the chain is held. */
  readonly heldBy: string | null;
  /** Only of `budget-alert`, whose chain made the call after which it was emitted. */
  readonly budget?: WebhookBudget;
}

interface WebhookBudget {
  /** `the budget of tenant acme per day` */
  readonly name: string;
  /** `usd` are US dollars. */
  readonly counter: BudgetCounter;
  /** Spent and reserved. */
  readonly spent: number;
  readonly limit: number;
  /** End of its window. */
  readonly resetsAt: number;
}

export interface WebhookRequest {
  readonly call: string;
  readonly kind: RequestKind;
  readonly askedAt: number;
  /** Null: it never expires. */
  readonly expiresAt: number | null;
  /** Any of these roles may decide; empty: any person. */
  readonly roles: readonly string[];
}
