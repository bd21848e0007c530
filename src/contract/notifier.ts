/** What the notifier and its activities exchange, and the sink by which a workflow reports that it waits. */

import type { WebhookEvent } from '../core/model/index.js';

export interface NotifierInput {
  readonly event: WebhookEvent;
}

/** The ids of the webhooks that get the event, by how its delivery ended. */
export interface NotifierResult {
  readonly delivered: readonly string[];
  /** Rejected for good by the receiver, or not delivered in time. */
  readonly failed: readonly string[];
  /** Deleted or deactivated in the meantime. */
  readonly gone: readonly string[];
}

export interface DeliverInput {
  readonly webhookId: string;
  readonly event: WebhookEvent;
}

export type Delivery = 'delivered' | 'gone';

/** A type, since the SDK requires an index signature. */
export type WaitSinks = {
  /** A chain began to wait for a person or a repair. */
  longhandWaits: { began: (event: WebhookEvent) => void };
};
