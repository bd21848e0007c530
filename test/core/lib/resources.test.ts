/** All resources are closed, also when one cannot be closed. */

import { expect, it } from 'vitest';
import { createResources } from '../../../src/core/lib/resources.js';

it('resources are closed once, the last one first, and the first error is thrown', async () => {
  const resources = createResources();
  const closed: string[] = [];
  const addResource = (name: string, error?: Error) =>
    resources.add(async () => {
      closed.push(name);
      if (error !== undefined) throw error;
    });
  addResource('connection', new Error('The connection is in use.'));
  addResource('store', new Error('The store is busy.'));
  addResource('archive');
  await expect(resources.close()).rejects.toThrow('The store is busy.');
  await resources.close();
  expect(closed).toEqual(['archive', 'store', 'connection']);
});
