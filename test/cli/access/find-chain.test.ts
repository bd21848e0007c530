/** How the beginning of an id selects one of several chains. */

import { expect, it } from 'vitest';
import { filterRootIds, resolveChainId } from '../../../src/cli/access/find-chain.js';
import type { Longhand } from '../../../src/entries/client.js';
import { matchError } from '../../support/match-error.js';

it('a chain hides its sub-chains, but not other chains with the same beginning', () => {
  const tree = ['tea-1/1.1/1.1', 'tea-1/1.2', 'tea-1', 'tea-1/1.1'];
  expect(filterRootIds(tree)).toEqual(['tea-1']);
  expect(filterRootIds([...tree, 'tea-11', 'tea-11/1.1'])).toEqual(['tea-1', 'tea-11']);
  expect(filterRootIds(['shop/7', 'shop/8'])).toEqual(['shop/7', 'shop/8']);
  expect(filterRootIds(['tea-1/1.1/1.1', 'tea-1/1.1'])).toEqual(['tea-1/1.1']);
});

/** A server with these chains, as it answers over the wire. */
function serverWith(ids: readonly string[]): Longhand {
  const infoOf = (workflowId: string) => ({
    execution: { workflowId, runId: 'run' },
    type: { name: 'agent' },
    status: 1,
    historyLength: { toNumber: () => 3 },
    startTime: { seconds: null, nanos: 0 },
  });
  const workflowService = {
    describeWorkflowExecution: async ({ execution }: { readonly execution: { readonly workflowId: string } }) => {
      const { workflowId } = execution;
      if (ids.includes(workflowId)) return { workflowExecutionInfo: infoOf(workflowId) };
      throw Object.assign(new Error('not found'), { code: 5, details: 'not found', metadata: new Map() });
    },
    listWorkflowExecutions: async ({ query }: { readonly query: string }) => {
      const beginning = JSON.parse(query.slice(query.indexOf('STARTS_WITH ') + 'STARTS_WITH '.length));
      return { executions: ids.filter((id) => id.startsWith(beginning)).map(infoOf), nextPageToken: null };
    },
  };
  return { client: { connection: { workflowService }, options: { namespace: 'default' } } } as unknown as Longhand;
}

const server = serverWith([
  'tea-12ab',
  'tea-12ab/1.1',
  'tea-12ab/1.1/2.1',
  'tea-34cd',
  'shop/7-ab',
  'shop/7-ab/1.1',
  'shop/8',
]);

it.each([
  ['tea-12ab/1.1', 'tea-12ab/1.1'],
  ['tea-1', 'tea-12ab'],
  ['tea-1/1.1', 'tea-12ab/1.1'],
  ['tea-1/1.1/2.1', 'tea-12ab/1.1/2.1'],
  ['shop/7', 'shop/7-ab'],
  ['shop/7/1.1', 'shop/7-ab/1.1'],
])('%s selects %s', async (named, meant) => {
  expect(await resolveChainId(server, named)).toBe(meant);
});

it('an unknown sub-chain and an ambiguous beginning are rejected', async () => {
  await expect(resolveChainId(server, 'tea-1/9.9')).rejects.toThrow(matchError('chain_not_found', 'tea-1/9.9'));
  await expect(resolveChainId(server, 'coffee/1.1')).rejects.toThrow(matchError('chain_not_found', 'coffee/1.1'));
  await expect(resolveChainId(server, 'tea/1.1')).rejects.toThrow(matchError('usage', '2 chains begin with tea.'));
});
