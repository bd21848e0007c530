/** The tree of an unusually long chain: its summary, its newest steps, and a warning. */

import { expect, it } from 'vitest';
import { formatChainTree } from '../../../src/cli/print/tree.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer } from '../../../src/core/view/visibility.js';
import { reasoningWith, thought } from '../../support/some-reasoning.js';
import { storedChain } from '../../support/stored-chain.js';

const newest = { range: {}, kinds: null, since: null, search: null, last: null };

/** Only the point of failure is read from the stored chain, which has none. */
async function formatTree(count: number, filter = newest): Promise<string> {
  const steps = Array.from({ length: count }, (_, at) => thought(at + 1, `I look at part ${at + 1}.`));
  const chain = view(reasoningWith(steps), createViewer('developer'), {});
  return formatChainTree(await storedChain('parallel-tools'), chain, filter, {
    ...{ color: false, width: 100, now: 0, named: 'x' },
  });
}

it('a chain of more than 200 steps has a warning, unless the person names the steps to show', async () => {
  const warning = '⚠ This chain is long: 201 steps, where 200 are usually enough.';
  expect(await formatTree(201)).toContain(warning);
  expect(await formatTree(200)).not.toContain('⚠');
  expect(await formatTree(201, { ...newest, last: 'all' } as never)).not.toContain('⚠');
  expect(await formatTree(201, { ...newest, range: { from: 1 } })).not.toContain('⚠');
});

it('a chain of more than 50 steps shows the newest 50, and how to see the others', async () => {
  const text = await formatTree(60);
  expect(text).toContain('I look at part 11.');
  expect(text).not.toContain('I look at part 10.');
  expect(text).toContain('… 10 older steps: longhand chain show x --all');
});
