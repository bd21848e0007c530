/**
 * Receives notifications of a Postgres database (`LISTEN`), over one connection beside the pool. It is open while anybody
 * listens, and opened again when it is lost. Notifications sent in the meantime are lost.
 */

import type { Client } from 'pg';
import type { StoreLocation } from './store-location.js';

type Receive = (payload: string) => void;

export interface StoreListener {
  /** @returns a function that stops listening */
  readonly listen: (channel: string, receive: Receive) => () => void;
}

/** Time before a lost connection is opened again. */
const retryMs = 1_000;
const connectTimeoutMs = 5_000;

export function createPostgresListener({ url }: Extract<StoreLocation, { kind: 'postgres' }>): StoreListener {
  const receivers = new Map<string, Set<Receive>>();
  const listening = new Set<string>();
  let client: Client | null = null;
  let isUpdating = false;

  const drop = () => {
    const lost = client;
    client = null;
    listening.clear();
    void lost?.end().catch(() => {});
  };

  const open = async (): Promise<Client> => {
    // Loaded on first use: most processes have no store in Postgres.
    const { default: pg } = await import('pg');
    const opened = new pg.Client({
      application_name: 'longhand',
      connectionString: url,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
    });
    const lose = () => {
      if (client !== opened) return;
      drop();
      scheduleUpdate();
    };
    opened.on('error', lose).on('end', lose);
    opened.on('notification', ({ channel, payload = '' }) => {
      for (const receive of receivers.get(channel) ?? []) receive(payload);
    });
    await opened.connect();
    return opened;
  };

  /** Changes the channels of the connection one by one until they are those of the receivers. */
  const update = async (): Promise<void> => {
    for (;;) {
      const added = [...receivers.keys()].find((channel) => !listening.has(channel));
      const removed = [...listening].find((channel) => !receivers.has(channel));
      if (receivers.size === 0) return drop();
      if (added === undefined && removed === undefined) return;
      client ??= await open();
      if (added !== undefined) {
        await client.query(`listen ${client.escapeIdentifier(added)}`);
        listening.add(added);
      } else if (removed !== undefined) {
        await client.query(`unlisten ${client.escapeIdentifier(removed)}`);
        listening.delete(removed);
      }
    }
  };

  const startUpdate = () => {
    if (isUpdating) return;
    isUpdating = true;
    update()
      .catch(() => {
        drop();
        scheduleUpdate();
      })
      .finally(() => {
        isUpdating = false;
      });
  };

  const scheduleUpdate = () => void setTimeout(startUpdate, retryMs).unref();

  return {
    listen: (channel, receive) => {
      const own = receivers.get(channel) ?? new Set();
      receivers.set(channel, own.add(receive));
      startUpdate();
      return () => {
        own.delete(receive);
        if (own.size === 0) receivers.delete(channel);
        startUpdate();
      };
    },
  };
}
