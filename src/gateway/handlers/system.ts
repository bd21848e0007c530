/** Handlers of operations about the gateway itself. */

import { sql } from 'kysely';
import type { systemOperations } from '../../http/operations/system.js';
import { withTimeout } from '../../timing/with-timeout.js';
import type { GatewayServices } from '../request/context.js';
import type { Handlers } from '../request/handler.js';
import { GatewayError } from '../request/problems.js';

export interface SystemParts {
  readonly isClosing: () => boolean;
  readonly printMetrics: () => Promise<string>;
  readonly openApiDocument: Readonly<Record<string, unknown>>;
}

export function createSystemHandlers({
  isClosing,
  printMetrics,
  openApiDocument,
}: SystemParts): Handlers<typeof systemOperations> {
  return {
    getHealth: async () => ({ status: 'ok' }),

    getReadiness: async (_, services) => {
      if (isClosing()) throw new GatewayError('closing', 'The gateway is stopping. Send the request to another one.');
      const [temporal, store] = await Promise.all([isTemporalReady(services), isStoreReady(services)]);
      if (!temporal) throw new GatewayError('not_ready', 'Temporal does not answer.');
      if (!store) throw new GatewayError('not_ready', 'The store does not answer.');
      return { status: 'ready', temporal: 'ok', store: services.store === null ? 'none' : 'ok' };
    },

    getMetrics: async () =>
      new Response(await printMetrics(), { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } }),

    getOpenApi: async () => ({ openapi: '3.1.0', ...openApiDocument }),
  };
}

/** Milliseconds for one check: probes of orchestrators wait about as long. */
const checkMs = 2_000;

async function isTemporalReady({ longhand: { client } }: GatewayServices): Promise<boolean> {
  const check = client.withDeadline(Date.now() + checkMs, () => client.workflowService.getSystemInfo({}));
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
