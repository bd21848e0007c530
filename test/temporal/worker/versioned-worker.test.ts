/** Worker versioning on a real server: through a rollout, a chain stays with its build, or moves to the current one. */

import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { readWorkerDeployment } from '../../../src/cli/run/worker-deployment.js';
import type { Longhand } from '../../../src/entries/client.js';
import { defineAgent, defineTool } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { waitForRequests } from '../../support/people.js';

function createTemporalOptions(deploymentName: string, buildId: string, versioning?: string) {
  const env = {
    TEMPORAL_DEPLOYMENT_NAME: deploymentName,
    TEMPORAL_WORKER_BUILD_ID: buildId,
    LONGHAND_VERSIONING: versioning,
  };
  return { workerDeploymentOptions: readWorkerDeployment(env)! };
}

/**
 * Makes a build the current one. The server knows a version from its first poll, of one queue, and moves only queues
 * that it knows: so both must have been polled before.
 */
async function makeCurrent({ client }: Longhand, deploymentName: string, buildId: string): Promise<void> {
  const { namespace } = client.options;
  const version = { namespace, deploymentVersion: { deploymentName, buildId } };
  const countQueues = () =>
    client.workflowService.describeWorkerDeploymentVersion(version).then(
      ({ workerDeploymentVersionInfo }) => workerDeploymentVersionInfo?.taskQueueInfos?.length,
      (error: Error) => error.message,
    );
  await expect.poll(countQueues).toBe(2);
  await client.workflowService.setWorkerDeploymentCurrentVersion({
    namespace,
    deploymentName,
    buildId,
    identity: 'test',
  });
}

async function readBuild({ client }: Longhand, chainId: string): Promise<string | null | undefined> {
  const { raw } = await client.workflow.getHandle(chainId).describe();
  return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId;
}

it('a chain stays with the build that it started on, and the next one starts on the build that is current then', async () => {
  const name = `test-${randomUUID()}`;
  let open = () => {};
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  const wait = defineTool({
    ...{ name: 'look', description: 'Looks', inputSchema: z.object({}), effects: 'read' as const },
    execute: () => isOpen.then(() => 'seen'),
  });
  const agent = defineAgent({ name: 'looker', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [wait] });
  const replies = [{ calls: [{ name: 'look', input: {} }] }, { text: 'Second.' }, { text: 'First.' }];
  await withWorker({ agents: [agent], replies, temporal: createTemporalOptions(name, '1') }, async (test) => {
    const { longhand, models, startWorker } = test;
    await makeCurrent(longhand, name, '1');
    const first = await longhand.start(agent, 'Look.');
    await expect.poll(() => models.requests.length).toBe(1);
    await startWorker({ temporal: createTemporalOptions(name, '2') });
    await makeCurrent(longhand, name, '2');
    const second = await longhand.start(agent, 'Answer.');
    expect(await second.result()).toMatchObject({ answer: 'Second.' });
    open();
    expect(await first.result()).toMatchObject({ answer: 'First.' });
    expect([await readBuild(longhand, first.chainId), await readBuild(longhand, second.chainId)]).toEqual(['1', '2']);
  });
});

it('with auto-upgrade, chains that run and wait move to the current build, without an error of a workflow task', async () => {
  const name = `test-${randomUUID()}`;
  const builds: string[] = [];
  const agentOf = (build: string) => {
    const execute = () => `seen by ${builds[builds.push(build) - 1]}`;
    const looks = { description: 'Looks', inputSchema: z.object({}), effects: 'read' as const, execute };
    const look = defineTool({ ...looks, name: 'look' });
    const glance = defineTool({ ...looks, name: 'glance', local: true });
    const sign = defineTool({ ...looks, name: 'sign', effects: 'unsafe', approval: true });
    return defineAgent({ name: 'looker', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [look, glance, sign] });
  };
  const calls = (...names: readonly string[]) => ({ calls: names.map((tool) => ({ name: tool, input: {} })) });
  const replies = [
    calls('look'),
    calls('glance', 'glance'),
    calls('sign'),
    calls('glance'),
    calls('look'),
    { text: 'Done.' },
  ];
  const first = createTemporalOptions(name, '1', 'auto-upgrade');
  await withWorker({ agents: [agentOf('1')], replies, temporal: first }, async ({ longhand, startWorker }) => {
    await makeCurrent(longhand, name, '1');
    const chain = await longhand.start(agentOf('1'), 'Look.');
    await waitForRequests(longhand, chain.chainId, '3.1');
    await startWorker({ agents: [agentOf('2')], temporal: createTemporalOptions(name, '2', 'auto-upgrade') });
    await makeCurrent(longhand, name, '2');
    await chain.approve('3.1');
    expect(await chain.result()).toMatchObject({ answer: 'Done.', steps: 6 });
    expect(builds).toEqual(['1', '1', '1', '2', '2', '2']);
    expect(await readBuild(longhand, chain.chainId)).toBe('2');
    const { events } = await longhand.client.workflow.getHandle(chain.chainId).fetchHistory();
    expect(events?.filter(({ workflowTaskFailedEventAttributes }) => workflowTaskFailedEventAttributes)).toEqual([]);
  });
});
