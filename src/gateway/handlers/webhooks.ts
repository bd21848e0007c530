/** Handlers of webhooks: those of the caller's tenant. */

import { LonghandError, omitUndefined } from '../../core/lib/index.js';
import type { webhookOperations } from '../../http/index.js';
import { createWebhookStore, type WebhookSealer, type WebhookStore } from '../../store/index.js';
import type { Identity } from '../identity/identity.js';
import type { RequestContext } from '../request/context.js';
import type { Handlers } from '../request/handler.js';
import { resolveTenant } from '../request/requester.js';
import { requireStore } from './require-store.js';
import { toChange } from './to-change.js';

/** @param sealer of the workers' keys, for the secrets; null without encryption */
export function createWebhookHandlers({
  sealer,
}: {
  readonly sealer: WebhookSealer | null;
}): Handlers<typeof webhookOperations> {
  const open = (context: RequestContext): WebhookStore =>
    createWebhookStore(requireStore(context, 'webhooks'), { namespace: context.namespace, sealer });
  return {
    createWebhook: async ({ body: { tenant: stated, ...webhook } }, context) => {
      const tenant = resolveOwner(context.identity, stated);
      const { webhook: created, secret } = await open(context).create(
        { ...toWanted(webhook), tenant },
        toChange(context.identity, Date.now()),
      );
      return { ...created, secret };
    },
    listWebhooks: async ({ query: { tenant } }, context) => {
      checkReach(context.identity);
      return { items: await open(context).list(resolveTenant(context.identity, tenant)) };
    },
    deleteWebhook: async ({ params: { webhookId } }, context) => {
      checkReach(context.identity);
      const { tenant } = context.identity;
      const change = toChange(context.identity, Date.now());
      if (await open(context).delete(webhookId, change, tenant ?? undefined))
        return new Response(null, { status: 204 });
      // A webhook of another tenant is reported as one that does not exist.
      throw new LonghandError('webhook_not_found', 'There is no such webhook. List the webhooks.');
    },
  };
}

/** Returns the tenant of a new webhook. @throws {LonghandError} `invalid_options`, `not_visible` */
function resolveOwner(identity: Identity, stated: string | null | undefined): string | null {
  checkReach(identity);
  const tenant = resolveTenant(identity, stated);
  if (tenant !== undefined) return tenant;
  const fix = 'State the `tenant` of the webhook, or null for chains without one.';
  throw new LonghandError('invalid_options', `Your credential is of all tenants. ${fix}`);
}

/** A webhook gets events of all chains of its tenant. @throws {LonghandError} `not_visible` */
function checkReach({ reach }: Identity): void {
  if (reach === 'all') return;
  const fix = 'Use one that reaches all of its tenant.';
  throw new LonghandError('not_visible', `This credential reaches only its own chains, and no webhooks. ${fix}`);
}

/** Omits what is not stated. */
function toWanted<
  T extends { readonly agents?: readonly string[] | undefined; readonly subChains?: boolean | undefined },
>({ agents, subChains, ...others }: T) {
  return { ...others, ...omitUndefined({ agents, subChains }) };
}
