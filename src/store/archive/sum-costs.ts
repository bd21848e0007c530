/**
 * Sums up the charges of archived chains. A chain counts on the day of its start, with the charge of its last archived run,
 * which has the charges of its earlier runs too.
 *
 * A chain's row contains its own charge alone, so parents and sub-chains are added up, each once.
 */

import { type RawBuilder, type SqlBool, sql } from 'kysely';
import {
  buildChainReport,
  buildModelReport,
  buildToolReport,
  type ChainFigures,
  type ChainGrouping,
  type CostReport,
  type DailyFigures,
  type ModelFigures,
  type ToolFigures,
} from '../../core/record/index.js';
import type { CostQuery } from '../db/queries.js';
import type { Store } from '../db/store.js';

/** @throws StoreError */
export async function sumCosts(store: Store, query: CostQuery): Promise<CostReport> {
  const { by, per = null } = query;
  switch (by) {
    case 'tool':
      return buildToolReport(await readToolFigures(store, query), per);
    case 'model':
      return buildModelReport(await readModelFigures(store, query), await readChainFigures(store, 'agent', query), per);
    default:
      return buildChainReport(by, await readChainFigures(store, by, query), per);
  }
}

/** Both databases divide whole numbers without a remainder. */
const startDay = sql<number>`chain.started_at / 86400000`;

/** Without chains of which only the erasure is recorded. */
function matchChains({ namespace, since, until }: CostQuery): RawBuilder<SqlBool> {
  const conditions = [
    sql`chain.namespace = ${namespace}`,
    sql`chain.last_run is not null`,
    ...(since === undefined ? [] : [sql`chain.started_at >= ${since}`]),
    ...(until === undefined ? [] : [sql`chain.started_at < ${until}`]),
  ];
  return sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
}

async function readChainFigures(
  { db }: Store,
  by: ChainGrouping,
  query: CostQuery,
): Promise<readonly DailyFigures<ChainFigures>[]> {
  const column = sql.ref(`chain.${by === 'template' ? 'plan_template' : by}`);
  const { rows } = await sql<Omit<ChainFigures, 'outcomes'> & OutcomeRow>`
    select nullif(${column}, '') as "name", ${startDay} as "day", chain.outcome as "outcome", count(*) as "chains",
      sum(case when chain.status = 'running' then 1 else 0 end) as "running",
      sum(chain.steps - chain.origin_steps) as "steps", sum(chain.tokens) as "tokens",
      sum(chain.reserved_tokens) as "reservedTokens", sum(chain.cost_usd) as "costUsd",
      sum(case when chain.unpriced_tokens > 0 then 1 else 0 end) as "unpriced"
    from archive_chains as chain where ${matchChains(query)} group by 1, 2, 3`.execute(db);
  return rows.map(({ name, day, outcome, ...figures }) => {
    const outcomes = outcome === null ? {} : { [outcome]: figures.chains };
    return { name, day, figures: { ...figures, outcomes } };
  });
}

interface OutcomeRow {
  readonly name: string | null;
  readonly day: number;
  readonly outcome: string | null;
}

async function readModelFigures({ db }: Store, query: CostQuery): Promise<readonly DailyFigures<ModelFigures>[]> {
  const { rows } = await sql<ModelFigures & { readonly name: string | null; readonly day: number }>`
    select nullif(called.model, '') as "name", ${startDay} as "day", count(*) as "chains",
      sum(case when chain.status = 'running' then 1 else 0 end) as "running", sum(called.calls) as "calls",
      sum(called.tokens) as "tokens", sum(called.reserved_tokens) as "reservedTokens",
      sum(called.cost_usd) as "costUsd", sum(case when called.unpriced_tokens > 0 then 1 else 0 end) as "unpriced"
    from archive_chains as chain join archive_models as called on called.run = chain.last_run
    where ${matchChains(query)} group by 1, 2`.execute(db);
  return rows.map(({ name, day, ...figures }) => ({ name, day, figures }));
}

/** Follows the links between runs back from a chain's last run: runs that a reset left behind are no part of the chain. */
async function readToolFigures({ db }: Store, query: CostQuery): Promise<readonly DailyFigures<ToolFigures>[]> {
  const { rows } = await sql<ToolFigures & { readonly name: string; readonly day: number }>`
    with recursive path (chain, day, run, previous) as (
      select chain.id, ${startDay}, run.id, run.previous_run_id
        from archive_chains as chain join archive_runs as run on run.id = chain.last_run where ${matchChains(query)}
      union
      select path.chain, path.day, run.id, run.previous_run_id
        from path join archive_runs as run on run.chain = path.chain and run.run_id = path.previous)
    select used.tool as "name", path.day as "day", sum(used.calls) as "calls", sum(used.failures) as "failures",
      sum(used.duration_ms) as "durationMs", sum(used.cost_usd) as "costUsd"
    from path join archive_tools as used on used.run = path.run group by 1, 2`.execute(db);
  return rows.map(({ name, day, ...figures }) => ({ name, day, figures }));
}
