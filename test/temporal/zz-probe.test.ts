import { it, expect } from 'vitest';
import { randomUUID } from 'node:crypto';
import { withWorker } from '../support/chain-test.js';
import { actor, asksOnce, played, task } from '../support/delegating.js';
it('probe', async () => {
  const worker = actor('worker');
  const lead = actor('lead', { tools: [worker] });
  let n = 0;
  for (const plays of [() => ({ text: `Answer ${++n}.` }), () => ({ hang: true, afterEvents: 1 } as const)]) {
  await withWorker({ agents: [lead], replies: played({ lead: asksOnce(task('worker')), worker: plays }) }, async ({ longhand, models, taskQueue }) => {
    const chain = await longhand.start('lead', 'Work');
    const id = chain.chainId;
    const c = longhand.client;
    await expect.poll(() => models.requests.length).toBeGreaterThan(1);
    if (n > 0 && models.requests.length < 3 && !('hang' in plays())) await chain.result();
    const childRuns = async () => { const r: string[] = []; for await (const w of c.workflow.list({ query: `WorkflowId STARTS_WITH '${id}'` })) r.push(`${w.workflowId} ${w.runId.slice(0,6)} ${w.status.name}`); return r; };
    console.log('before', await childRuns());
    const handle = c.workflow.getHandle(id);
    const { runId } = await handle.describe();
    const events = (await c.workflow.getHandle(id, runId).fetchHistory()).events ?? [];
    const init = events.find((e) => e.startChildWorkflowExecutionInitiatedEventAttributes);
    await c.connection.workflowService.resetWorkflowExecution({ namespace: c.options.namespace, workflowExecution: { workflowId: id, runId }, reason: 'x', workflowTaskFinishEventId: init!.startChildWorkflowExecutionInitiatedEventAttributes!.workflowTaskCompletedEventId!, requestId: randomUUID() });
    await new Promise((r) => setTimeout(r, 4000));
    const after = (await c.workflow.getHandle(id).fetchHistory()).events ?? [];
    console.log(after.map((e) => `${e.eventId} ${Object.keys(e).find((k) => k.endsWith('Attributes'))}`).slice(-14).join('\n'));
    console.log('after', await childRuns(), (await longhand.chain(id).requests()).length);
    await c.workflow.getHandle(id).terminate('x').catch(() => {});
  }).catch((e) => console.log('tear', String(e).slice(0, 300)));
  }
}, 60000);
