/**
 * Webhooks of tenants.
 *
 * K1 A webhook belongs to one tenant, or to the chains without one, and gets events of these chains alone.
 * K2 Its secret is returned once, when it is created. Later only the delivery reads it. With encryption it is stored sealed,
 *    and opens only for its own tenant.
 * K3 Creation and deletion are entries of the audit log, in the same transaction: a webhook sends data out.
 */

import { randomBytes, randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import { isLoopbackName, LonghandError } from '../../core/lib/index.js';
import { type WebhookEvent, type WebhookEventType, webhookEventTypes } from '../../core/model/index.js';
import { type AuditedChange, appendAudit, createOutsideDraft } from '../audit/append.js';
import type { WebhookTables } from '../db/migrations/0001-tables/webhooks.js';
import { sealedMark, sealText, type TextSealer } from '../db/sealed-text.js';
import { lockExclusive, type Store, type StoreTransaction } from '../db/store.js';

/** Times are milliseconds since 1970. */
export interface Webhook {
  readonly id: string;
  /** Null: chains without a tenant. */
  readonly tenant: string | null;
  readonly url: string;
  readonly events: readonly WebhookEventType[];
  /** Empty: all agents. */
  readonly agents: readonly string[];
  /** Whether the ends of sub-chains are sent, too. Their waits always are: people decide them. */
  readonly subChains: boolean;
  /** False once its receiver has answered 410. */
  readonly active: boolean;
  readonly createdAt: number;
  /** The last attempt; null before the first. */
  readonly lastAttempt: { readonly at: number; readonly result: string } | null;
}

export type NewWebhook = Pick<Webhook, 'tenant' | 'url' | 'events'> & Partial<Pick<Webhook, 'agents' | 'subChains'>>;

interface CreatedWebhook {
  readonly webhook: Webhook;
  /** `whsec_…`: shown to its owner once. */
  readonly secret: string;
}

export interface WebhookStore {
  /** @throws {LonghandError} `invalid_options` for a URL that cannot be used, `tenant_limit_reached` */
  readonly create: (webhook: NewWebhook, change: AuditedChange) => Promise<CreatedWebhook>;
  /** Oldest first. @param tenant undefined for all */
  readonly list: (tenant?: string | null) => Promise<readonly Webhook[]>;
  /** Returns false if there is no such webhook of the tenant. @param tenant undefined for all */
  readonly delete: (id: string, change: AuditedChange, tenant?: string | null) => Promise<boolean>;
  /** Returns a webhook with its secret; null if it is deleted. @throws when the secret does not open */
  readonly findWithSecret: (id: string) => Promise<CreatedWebhook | null>;
  readonly recordAttempt: (id: string, attempt: NonNullable<Webhook['lastAttempt']>) => Promise<void>;
  readonly deactivate: (id: string) => Promise<void>;
}

/** Seals secrets for a tenant. */
export interface WebhookSealer extends TextSealer {
  readonly open: (bytes: Uint8Array) => { readonly bytes: Uint8Array; readonly tenant: string | null };
}

export interface WebhookStoreOptions {
  readonly namespace: string;
  /** Null without encryption. */
  readonly sealer: WebhookSealer | null;
}

const maxWebhooks = 50;
const secretBytes = 32;
const secretPrefix = 'whsec_';

export function createWebhookStore(store: Store, options: WebhookStoreOptions): WebhookStore {
  const { db, write } = store;
  const { namespace, sealer } = options;
  return {
    create: async ({ tenant, url, events, agents = [], subChains = false }, { who, at }) => {
      const secret = `${secretPrefix}${randomBytes(secretBytes).toString('base64')}`;
      const row = {
        id: randomUUID(),
        namespace,
        tenant: tenant ?? '',
        url: checkWebhookUrl(url),
        secret: sealText(secret, tenant, sealer),
        events: JSON.stringify(webhookEventTypes.filter((type) => events.includes(type))),
        agents: JSON.stringify([...new Set(agents)]),
        sub_chains: subChains ? 1 : 0,
        active: 1,
        created_at: at,
        last_at: null,
        last_result: null,
      };
      const webhook = toWebhook(row);
      await write(async (tx) => {
        await lockExclusive(tx, store, `webhooks:${JSON.stringify([namespace, tenant])}`);
        await checkWebhookCount(tx, row);
        await tx.insertInto('webhooks').values(row).execute();
        const what = { ...toAudited(row), events: webhook.events, agents: webhook.agents };
        await appendAudit(tx, [createOutsideDraft({ namespace, tenant, who, at }, { type: 'webhook_created', what })]);
      });
      return { webhook, secret };
    },
    list: async (tenant) => {
      const all = db.selectFrom('webhooks').selectAll().where('namespace', '=', namespace);
      const some = tenant === undefined ? all : all.where('tenant', '=', tenant ?? '');
      return (await some.orderBy('created_at').orderBy('id').execute()).map(toWebhook);
    },
    delete: (id, { who, at }, tenant) =>
      write(async (tx) => {
        const one = tx.deleteFrom('webhooks').where('namespace', '=', namespace).where('id', '=', id);
        const some = tenant === undefined ? one : one.where('tenant', '=', tenant ?? '');
        const row = await some.returning(['id', 'tenant', 'url']).executeTakeFirst();
        if (row === undefined) return false;
        const place = { namespace, tenant: readTenant(row), who, at };
        await appendAudit(tx, [createOutsideDraft(place, { type: 'webhook_deleted', what: toAudited(row) })]);
        return true;
      }),
    findWithSecret: async (id) => {
      const row = await db
        .selectFrom('webhooks')
        .selectAll()
        .where('namespace', '=', namespace)
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined ? null : { webhook: toWebhook(row), secret: openSecret(row, sealer) };
    },
    recordAttempt: async (id, { at, result }) => {
      await write((tx) =>
        tx
          .updateTable('webhooks')
          .set({ last_at: at, last_result: result })
          .where('namespace', '=', namespace)
          .where('id', '=', id)
          .execute(),
      );
    },
    deactivate: async (id) => {
      await write((tx) =>
        tx.updateTable('webhooks').set({ active: 0 }).where('namespace', '=', namespace).where('id', '=', id).execute(),
      );
    },
  };
}

/** Deletes the webhooks of a tenant, within a transaction. Entries of the audit log keep their ids. */
export async function eraseWebhooks(tx: StoreTransaction, namespace: string, tenant: string): Promise<void> {
  await tx.deleteFrom('webhooks').where('namespace', '=', namespace).where('tenant', '=', tenant).execute();
}

async function checkWebhookCount(
  tx: StoreTransaction,
  { namespace, tenant }: Pick<WebhookTables['webhooks'], 'namespace' | 'tenant'>,
): Promise<void> {
  const { count } = await tx
    .selectFrom('webhooks')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('namespace', '=', namespace)
    .where('tenant', '=', tenant)
    .executeTakeFirstOrThrow();
  if (Number(count) >= maxWebhooks) throw createTooManyError();
}

function toAudited({ id, url }: Pick<WebhookTables['webhooks'], 'id' | 'url'>) {
  return { webhook: id, host: new URL(url).host };
}

function readTenant({ tenant }: Pick<WebhookTables['webhooks'], 'tenant'>): string | null {
  return tenant === '' ? null : tenant;
}

/** The clocks of the gateway and of Temporal's server differ. */
const clockToleranceMs = 10_000;

/** Returns whether a webhook gets an event. It gets none from before it was created. */
export function isInterested(
  { tenant, active, events, agents, subChains, createdAt }: Webhook,
  event: Pick<WebhookEvent, 'type' | 'tenant' | 'agent' | 'chainId' | 'rootId' | 'at'>,
): boolean {
  if (event.at < createdAt - clockToleranceMs) return false;
  if (!active || tenant !== event.tenant || !events.includes(event.type)) return false;
  if (agents.length > 0 && !agents.includes(event.agent)) return false;
  return event.type !== 'chain-ended' || subChains || event.chainId === event.rootId;
}

/**
 * Returns the URL in its standard form. Its addresses are checked with each delivery.
 *
 * @throws {LonghandError} `invalid_options`
 */
function checkWebhookUrl(urlText: string): string {
  const url = URL.canParse(urlText) && urlText.length <= maxUrlLength ? new URL(urlText) : null;
  if (url === null || url.hostname === '' || !/^https?:$/.test(url.protocol))
    throw invalidUrl('expected a URL such as https://example.com/longhand');
  if (url.username !== '' || url.password !== '')
    throw invalidUrl('it contains a user name or a password. Leave them out: the signature identifies Longhand');
  if (url.protocol === 'http:' && !isLoopbackName(url.hostname))
    throw invalidUrl('http is only for receivers on this machine. Use https');
  url.hash = '';
  return url.href;
}

const maxUrlLength = 2_000;

/** The URL may contain a password: it is not repeated. */
function invalidUrl(why: string): LonghandError {
  return new LonghandError('invalid_options', `Invalid URL of a webhook: ${why}.`);
}

function createTooManyError(): LonghandError {
  return new LonghandError(
    'tenant_limit_reached',
    `The tenant has ${maxWebhooks} webhooks, the most possible. Delete one that is not used.`,
  );
}

/** K2. A row that was moved to another tenant does not open. */
function openSecret({ secret, tenant }: Selectable<WebhookTables['webhooks']>, sealer: WebhookSealer | null): string {
  if (!secret.startsWith(sealedMark)) return secret;
  if (sealer === null) {
    const fix = 'Start the worker with the encryption keys of the gateway that created it.';
    throw new LonghandError('encryption_no_key', `The secret of a webhook is sealed, and there is no key. ${fix}`);
  }
  const opened = sealer.open(Buffer.from(secret.slice(sealedMark.length), 'base64'));
  if ((opened.tenant ?? '') !== tenant)
    throw new LonghandError('encryption_altered', 'The secret of a webhook was sealed for another tenant.');
  return Buffer.from(opened.bytes).toString();
}

function toWebhook(row: Selectable<WebhookTables['webhooks']>): Webhook {
  const { id, url, events, agents, sub_chains, active, created_at, last_at, last_result } = row;
  const stored = readTexts(events);
  return {
    id,
    tenant: readTenant(row),
    url,
    events: webhookEventTypes.filter((type) => stored.includes(type)),
    agents: readTexts(agents),
    subChains: sub_chains === 1,
    active: active === 1,
    createdAt: created_at,
    lastAttempt: last_at === null ? null : { at: last_at, result: last_result ?? '' },
  };
}

function readTexts(json: string): readonly string[] {
  const value = JSON.parse(json) as unknown;
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
