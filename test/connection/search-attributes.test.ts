/** The search attributes of a namespace: a worker needs all of them, or none. */

import { expect, it } from 'vitest';
import { findPartialAttributes } from '../../src/connection/namespace.js';
import { searchAttributes } from '../../src/contract/search-attributes.js';
import { registerSearchAttributes } from '../../src/worker/temporal-server.js';

const all = searchAttributes.map(({ name }) => name);
const withoutHeldBy = all.filter((name) => name !== 'LonghandHeldBy');

/** An operator service that lists these attributes and rejects new ones. */
function createService(names: readonly string[]): Parameters<typeof registerSearchAttributes>[0] {
  return {
    listSearchAttributes: async () => ({ customAttributes: Object.fromEntries(names.map((name) => [name, 2])) }),
    addSearchAttributes: async () => Promise.reject(new Error('permission denied')),
  } as never;
}

it('a worker does not start where a single search attribute is missing, and names the command that creates it', async () => {
  await expect(registerSearchAttributes(createService(withoutHeldBy), 'acme', null)).rejects.toMatchObject({
    code: 'search_attributes_missing',
    message: expect.stringContaining(
      'Run `temporal operator search-attribute create --namespace acme --name LonghandHeldBy --type Keyword`',
    ),
  });
});

it('a worker starts with all search attributes, and with none of them reports the error of the server', async () => {
  expect(await registerSearchAttributes(createService(all), 'acme', null)).toBeNull();
  expect(await registerSearchAttributes(createService([]), 'acme', null)).toBe('permission denied');
});

it('where the server lists attributes with the namespace only, a single missing one is found as well', () => {
  expect(findPartialAttributes(withoutHeldBy, 'acme')?.message).toContain('LonghandHeldBy');
  expect(findPartialAttributes([], 'acme')).toBeNull();
});
