/** The systems that are a library over a database: LangGraph.js and DBOS. The worker's process also starts the chains. */

import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import { startPostgres } from '../../../test/support/postgres.js';
import { findNode, installPackages, type PackageSet, placeService } from '../install.js';
import type { Peer, Places, Resumer, RunningPeer } from '../peer.js';
import { startService } from '../service.js';

interface System extends Pick<RunningPeer, 'servers' | 'countBytes'> {
  readonly packages: PackageSet;
  /** File in `services`. */
  readonly service: string;
  readonly node: Peer['node'];
  /** The database, for the service. */
  readonly database: object;
  readonly resumer: Resumer;
}

async function start(system: System, { modelUrl, env, onStop }: Places): Promise<RunningPeer> {
  const folder = await installPackages(system.packages);
  const options = {
    module: await placeService(folder, system.service),
    places: { modelUrl, ...system.database },
    node: await findNode(system.node),
    env,
  };
  let service = await startService(options);
  onStop(() => service.stop());
  return {
    worker: () => service,
    servers: system.servers,
    countBytes: system.countBytes,
    run: (id, task) => service.ask({ kind: 'run', id, task }),
    restart: async () => {
      service = await startService(options);
    },
    resumption: { wait: (id) => service.ask({ kind: 'resume', id }), getResumer: () => system.resumer },
  };
}

/** A server with a disk that is waited for, and a query of its bytes. @param sql sums the rows of the chains in `$1` */
async function openPostgres({ onStop }: Places, sql: string) {
  const server = await startPostgres(undefined, { isDurable: true });
  onStop(server.remove);
  onStop(server.stop);
  return {
    servers: [server.pid],
    database: { postgresUrl: server.url },
    countBytes: async (ids: readonly string[]) => {
      const client = new pg.Client(server.url);
      await client.connect();
      try {
        const { rows } = await client.query<{ bytes: string }>(sql, [ids]);
        return Number(rows[0]?.bytes);
      } finally {
        await client.end();
      }
    },
  };
}

const langgraph = { packages: 'langgraph', service: 'langgraph', resumer: 'the caller' } as const;

export const langgraphSqlite: Peer = {
  title: 'LangGraph.js, SQLite',
  packages: 'langgraph',
  // Its binding of SQLite is compiled with the headers of the Node that installs it.
  node: 20,
  counted: 'the process; no server',
  measures: 'everything',
  record: 'rows of checkpoints and writes',
  start: (places) => {
    const sqliteFile = join(places.folder, 'langgraph.db');
    const countBytes = async (ids: readonly string[]) => {
      const database = new Database(sqliteFile, { readonly: true });
      const sum = (columns: string, table: string) =>
        database
          .prepare<[string], { bytes: number }>(
            `select sum(${columns}) as bytes from ${table} where thread_id in (select value from json_each(?))`,
          )
          .get(JSON.stringify(ids))?.bytes ?? 0;
      try {
        return sum('length(checkpoint) + length(metadata)', 'checkpoints') + sum('length(value)', 'writes');
      } finally {
        database.close();
      }
    };
    return start({ ...langgraph, node: 20, servers: [], database: { sqliteFile }, countBytes }, places);
  },
};

export const langgraphPostgres: Peer = {
  title: 'LangGraph.js, Postgres',
  packages: 'langgraph',
  node: 24,
  counted: 'the process; Postgres',
  measures: 'everything',
  record: 'rows of checkpoints, blobs and writes, uncompressed',
  start: async (places) => {
    const columns = {
      checkpoints: 'octet_length(checkpoint::text) + octet_length(metadata::text)',
      checkpoint_blobs: 'octet_length(blob)',
      checkpoint_writes: 'octet_length(blob)',
    };
    const sums = Object.entries(columns).map(
      ([table, bytes]) => `(select sum(${bytes}) from ${table} where thread_id = any($1))`,
    );
    return start(
      { ...langgraph, node: 24, ...(await openPostgres(places, `select ${sums.join('+')} as bytes`)) },
      places,
    );
  },
};

export const dbos: Peer = {
  title: 'DBOS, hand-written loop',
  packages: 'dbos',
  node: 24,
  counted: 'the process; Postgres',
  measures: 'everything',
  record: 'rows of the workflow and of its steps, uncompressed',
  start: async (places) => {
    const sums = ['workflow_status', 'operation_outputs'].map(
      (table) => `(select sum(octet_length(r::text)) from dbos.${table} r where workflow_uuid = any($1))`,
    );
    const database = await openPostgres(places, `select ${sums.join('+')} as bytes`);
    return start({ packages: 'dbos', service: 'dbos', node: 24, resumer: 'itself', ...database }, places);
  },
};
