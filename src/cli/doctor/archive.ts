/** Whether what ended in the last day is archived: a store that was down, or workers without one, show here first. */

import { Client } from '@temporalio/client';
import { chainArchive } from '../../client/read/chain-archive.js';
import { glancing } from '../../client/read/glancing.js';
import { isStoreError } from '../../store/db/errors.js';
import { storeFrom } from '../../store/db/place.js';
import { closedSince } from '../../worker/sweep.js';
import { connectTo } from '../server/reachable.js';
import type { Check } from './check.js';

const name = 'Archive';
const dayMs = 86_400_000;
/** Runs that are looked at: to know that there are many is enough. */
const most = 1_000;

export async function checkArchive(env: NodeJS.ProcessEnv, usualAddress = '127.0.0.1:7233'): Promise<Check> {
  if (storeFrom(env) === null) return { name, status: 'ok', found: 'none: there is no store', remedy: null };
  const namespace = env.TEMPORAL_NAMESPACE || 'default';
  const connection = await connectTo(env.TEMPORAL_ADDRESS || usualAddress);
  if (!connection) return { name, status: 'warning', found: 'not checked: no server', remedy: null };
  const archive = chainArchive(undefined, env, namespace);
  try {
    const workflow = glancing(new Client({ connection, namespace }));
    let closed = 0;
    let missing = 0;
    for await (const { workflowId, runId } of workflow.list({
      query: closedSince(Date.now() - dayMs),
      pageSize: 100,
    })) {
      closed += 1;
      if (!(await archive?.has(workflowId, runId))) missing += 1;
      if (closed === most) break;
    }
    const of = closed === most ? `the last ${most} runs` : `${closed} runs that closed in the last day`;
    if (missing === 0) return { name, status: 'ok', found: `${of} are archived`, remedy: null };
    const remedy = 'see that workers run with this store (LONGHAND_STORE); `longhand archive sweep` archives them now';
    return { name, status: 'warning', found: `${missing} of ${of} are not archived`, remedy };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    const found = isStoreError(error)
      ? 'the store is down: chains go on, and are archived when it is back'
      : 'not checked';
    return { name, status: 'warning', found, remedy: said };
  } finally {
    await archive?.close();
    await connection.close();
  }
}
