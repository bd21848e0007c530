/**
 * Sends one event of a chain to the webhooks of its tenant. Each is an activity of its own: a receiver that does not answer
 * repeats no other's delivery.
 */

import { isCancellation, scheduleActivity } from '@temporalio/workflow';
import {
  activityNames,
  type DeliverInput,
  type Delivery,
  type NotifierInput,
  type NotifierResult,
} from '../contract/index.js';

type ScheduleOptions = Parameters<typeof scheduleActivity>[2];

/** The store may be away for long: the event is not lost. */
const listOptions: ScheduleOptions = {
  startToCloseTimeout: '30s',
  scheduleToCloseTimeout: '3 days',
  retry: { initialInterval: '1s', maximumInterval: '10m' },
};

/** About 80 attempts: after 1, 2, 4 … seconds, then each hour. */
const deliverOptions: ScheduleOptions = {
  startToCloseTimeout: '60s',
  scheduleToCloseTimeout: '3 days',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1h' },
};

export async function longhandNotifier({ event }: NotifierInput): Promise<NotifierResult> {
  const ids = await scheduleActivity<readonly string[]>(activityNames.listWebhooks, [event], listOptions);
  const deliveries = await Promise.all(ids.map((webhookId) => deliver({ webhookId, event })));
  const pick = (how: Delivery | 'failed') => ids.filter((_, at) => deliveries[at] === how);
  return { delivered: pick('delivered'), failed: pick('failed'), gone: pick('gone') };
}

async function deliver(input: DeliverInput): Promise<Delivery | 'failed'> {
  try {
    return await scheduleActivity<Delivery>(activityNames.deliverWebhook, [input], {
      ...deliverOptions,
      summary: input.webhookId,
    });
  } catch (error) {
    if (isCancellation(error)) throw error;
    return 'failed';
  }
}
