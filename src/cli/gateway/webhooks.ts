/** `longhand gateway webhooks`: creates, lists and deletes webhooks. A secret is printed once, by `create`. */

import { formatTime, isLoopbackName, LonghandError } from '../../core/lib/index.js';
import { type WebhookEventType, webhookEventTypes } from '../../core/model/index.js';
import { createPurposeSealer, resolveEncryption } from '../../encryption/index.js';
import { createWebhookStore, type Store, type Webhook, type WebhookStore } from '../../store/index.js';
import { getNamespace, getSystemUser, withStore, withWrittenStore } from '../access/open.js';
import { UsageError } from '../flags/usage-error.js';
import { splitList } from '../flags/values.js';
import { getColors } from '../terminal/colors.js';
import { formatTable } from '../terminal/table.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';

export interface WebhookCreateFlags {
  readonly tenant?: string;
  readonly event: readonly string[];
  readonly agent: readonly string[];
  readonly subChains?: boolean;
  readonly json?: boolean;
}

export interface WebhookListFlags {
  readonly tenant?: string;
  readonly json?: boolean;
}

export async function createWebhook(terminal: Terminal, url: string, flags: WebhookCreateFlags): Promise<number> {
  const { tenant = null, event, agent, subChains = false, json } = flags;
  const events = event.length === 0 ? webhookEventTypes : splitList(event).map(parseEvent);
  const draft = { tenant, url, events, agents: splitList(agent), subChains };
  const { webhook, secret } = await withWrittenStore((store) => open(store).create(draft, toChange()));
  reportPrivateHost(terminal, new URL(webhook.url));
  if (json) {
    terminal.write(formatJson({ ...webhook, secret }));
    return 0;
  }
  // The secret alone is on standard output, for a pipe into a file or a secret manager.
  terminal.write(`${secret}\n`);
  terminal.report(
    `Created webhook ${webhook.id}. Its secret is printed this once: its receiver verifies signatures with it.`,
  );
  return 0;
}

/** The creation checks no address, because only the workers know which ones they may request. */
function reportPrivateHost(terminal: Terminal, { hostname, host }: URL): void {
  if (!isLoopbackName(hostname)) return;
  terminal.report(
    `${host} is on the machine of each worker. Workers deliver to it only if LONGHAND_WEBHOOK_PRIVATE_HOSTS in their environment contains ${host}; otherwise each delivery fails with address_not_allowed.`,
  );
}

export async function listWebhooks(terminal: Terminal, { tenant, json }: WebhookListFlags): Promise<number> {
  const webhooks = await withStore((store) => open(store).list(tenant));
  if (json) {
    terminal.write(formatJson(webhooks));
    return 0;
  }
  if (webhooks.length === 0) {
    terminal.write(
      'There are no webhooks. Create one: longhand gateway webhooks create https://example.com/longhand.\n',
    );
    return 0;
  }
  const c = getColors(terminal);
  const columns = [
    { head: 'webhook', isId: true },
    { head: 'url', cutTo: 40 },
    { head: 'tenant' },
    { head: 'events' },
    { head: 'agents', cutTo: 20 },
    { head: 'last attempt' },
    { head: 'state' },
  ];
  const cells = webhooks.map((webhook) => [
    { text: webhook.id, paint: c.bold },
    { text: webhook.url },
    { text: webhook.tenant ?? '' },
    { text: webhook.events.join(' ') },
    { text: webhook.agents.join(' ') || '(all)' },
    { text: formatAttempt(webhook) },
    { text: webhook.active ? 'active' : 'inactive: answered 410' },
  ]);
  terminal.write(formatTable(columns, cells, terminal));
  return 0;
}

export async function deleteWebhook(terminal: Terminal, id: string): Promise<number> {
  if (!(await withStore((store) => open(store).delete(id, toChange())))) {
    throw new LonghandError(
      'webhook_not_found',
      `There is no webhook ${id} in the namespace ${getNamespace()}. List them: longhand gateway webhooks list.`,
    );
  }
  terminal.report(`Deleted webhook ${id}.`);
  return 0;
}

function toChange() {
  return { who: { by: getSystemUser(), roles: [] }, at: Date.now() };
}

/** With the keys of the workers, which read the secret. */
function open(store: Store): WebhookStore {
  const sealer = createPurposeSealer(resolveEncryption(undefined, process.env), 'webhooks');
  return createWebhookStore(store, { namespace: getNamespace(), sealer });
}

function formatAttempt({ lastAttempt }: Webhook): string {
  return lastAttempt === null ? 'none' : `${lastAttempt.result} at ${formatTime(lastAttempt.at)}`;
}

function parseEvent(text: string): WebhookEventType {
  const known = webhookEventTypes.find((type) => type === text);
  if (known !== undefined) return known;
  throw new UsageError(`Invalid --event ${text}: expected ${webhookEventTypes.join(', ')}.`);
}
