/** Handlers of operations about the gateway itself. */

import { sql } from 'kysely';
import { operations, type systemOperations } from '../../http/index.js';
import { withTimeout } from '../../timing/index.js';
import type { GatewayServices } from '../request/context.js';
import type { Handlers } from '../request/handler.js';
import { GatewayError } from '../request/problems.js';

export interface SystemParts {
  readonly isClosing: () => boolean;
  readonly printMetrics: () => Promise<string>;
  /** Path below which the gateway is mounted. */
  readonly basePath: string;
  readonly openApiDocument: Readonly<Record<string, unknown>> & { readonly openapi: string };
}

export function createSystemHandlers({
  isClosing,
  printMetrics,
  basePath,
  openApiDocument,
}: SystemParts): Handlers<typeof systemOperations> {
  const checkReadiness = createReadinessCheck();
  return {
    getGateway: async () => ({
      name: 'Longhand gateway',
      description: 'Durable reasoning chains of AI agents, over HTTP.',
      paths: {
        openapi: `${basePath}${operations.getOpenApi.path}`,
        chains: `${basePath}${operations.listChains.path}`,
        inbox: `${basePath}${operations.listInbox.path}`,
        health: `${basePath}${operations.getHealth.path}`,
      },
    }),

    getHealth: async () => ({ status: 'ok' }),

    getReadiness: async (_, services) => {
      if (isClosing()) throw new GatewayError('closing', 'The gateway is stopping. Send the request to another one.');
      const { temporal, store } = await checkReadiness(services);
      if (!temporal) throw new GatewayError('not_ready', 'Temporal does not answer.');
      if (!store) throw new GatewayError('not_ready', 'The store does not answer.');
      return { status: 'ready', temporal: 'ok', store: services.store === null ? 'none' : 'ok' };
    },

    // They are about all tenants.
    getMetrics: async (_, { identity }) => {
      if (identity.tenant !== null)
        throw new GatewayError(
          'scope_missing',
          'The metrics are those of all tenants. Use a credential of all tenants.',
        );
      return new Response(await printMetrics(), {
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
      });
    },

    getOpenApi: async () => ({ ...openApiDocument, servers: [{ url: basePath || '/' }] }),
  };
}

interface Readiness {
  readonly temporal: boolean;
  readonly store: boolean;
}

/** Anyone may ask: the servers are asked once a second at most. */
function createReadinessCheck(): (services: GatewayServices) => Promise<Readiness> {
  let last: { readonly at: number; readonly found: Promise<Readiness> } | null = null;
  return (services) => {
    if (last !== null && Date.now() - last.at < 1_000) return last.found;
    const checks = Promise.all([isTemporalReady(services), isStoreReady(services)]);
    last = { at: Date.now(), found: checks.then(([temporal, store]) => ({ temporal, store })) };
    return last.found;
  };
}

/** Milliseconds for one check: probes of orchestrators wait about as long. */
const checkMs = 2_000;

async function isTemporalReady({ longhand: { client } }: GatewayServices): Promise<boolean> {
  // Its own signal: without one, the check would end with the request that began it, for all that share it.
  const check = client.withAbortSignal(AbortSignal.timeout(checkMs), () => client.workflowService.getSystemInfo({}));
  return check.then(
    () => true,
    () => false,
  );
}

async function isStoreReady({ store }: GatewayServices): Promise<boolean> {
  if (store === null) return true;
  const check = sql`select 1`.execute(store.db).then(
    () => true,
    () => false,
  );
  return (await withTimeout(check, checkMs))?.value ?? false;
}
