/** Workflows of a user, which run agents as children: the module of a worker's `workflowsPath`. */

import { defineSignal, getExternalWorkflowHandle, proxyActivities, setHandler } from '@temporalio/workflow';
import { type AgentResult, type RunAgentOptions, runAgent } from '../../src/workflows/run-agent.js';
import type { clerk, OwnActivities } from './own-agents.js';

const { chargeCard, checksum } = proxyActivities<OwnActivities>({
  startToCloseTimeout: '10s',
  retry: { maximumAttempts: 2 },
});

/** Runs the clerk between two activities. The type of the answer is the agent's output schema. */
export async function settleInvoice(invoice: string): Promise<string> {
  const result = await runAgent<typeof clerk>('clerk', `Sum up ${invoice}.`);
  if (result.outcome !== 'success') return `not settled: ${result.outcome}`;
  const total: number = result.answer.total;
  return chargeCard(total);
}

export async function runOne(
  agent: string,
  task: string,
  options?: RunAgentOptions,
): Promise<AgentResult<{ name: string }>> {
  return runAgent(agent, task, options);
}

/** Bytes are no values of chains, but of other workflows. */
export async function measure(bytes: Uint8Array): Promise<string> {
  return checksum(bytes);
}

/** Forwards the decisions of another service to its agent. */
export async function payAndForward(chainId: string): Promise<string> {
  setHandler(defineSignal<[string]>('approve'), (by) =>
    getExternalWorkflowHandle(chainId).signal('longhand.approve', { call: '1.1', by }),
  );
  return (await runAgent('payer', 'Pay Ada.', { chainId })).outcome;
}

/** Calls an activity that no worker has. */
export async function callMissingActivity(): Promise<void> {
  await proxyActivities<{ missing: () => Promise<void> }>({
    startToCloseTimeout: '10s',
    retry: { maximumAttempts: 1 },
  }).missing();
}

/** Blocks the workflow thread without using its processor; between the waits, the SDK can interrupt it. */
export async function blockThread(ms: number): Promise<string> {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  for (let left = ms; left > 0; left -= 100) Atomics.wait(cell, 0, 0, 100);
  return 'done';
}
