/** Ids in a list are short and tell the chains apart. */

import { expect, it } from 'vitest';
import { shortIds } from '../../../src/cli/terminal/short-ids.js';

const rest = '-1111-4222-8333-444455556666';

it('a made-up id is shown by its beginning, and a sub-chain by that of its root with its path', () => {
  expect(
    shortIds([`mapper-2ef72826${rest}`, `mapper-2ef72826${rest}/1.1.4`, `mapper-2ef72826${rest}/1.1.4/2.1`]),
  ).toEqual(['mapper-2ef72826', 'mapper-2ef72826/1.1.4', 'mapper-2ef72826/1.1.4/2.1']);
});

it('an id that somebody chose, and those that would look alike, are shown whole', () => {
  const alike = [`tea-2ef72826${rest}`, 'tea-2ef72826-1111-4222-8333-000000000000'];
  expect(shortIds(['shop/7', ...alike])).toEqual(['shop/7', ...alike]);
});
