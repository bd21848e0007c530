/** Values of a start that any program may write: they throw nothing before the chain has rejected them. */

import { expect, it } from 'vitest';
import { readPast } from '../../../src/core/engine/continue-as-new.js';
import { getRootId } from '../../../src/core/model/lineage.js';
import { emptyPast } from '../../../src/core/model/past.js';

it.each([undefined, null, 'text', 7, [], {}, { version: 1 }, { packed: 'no' }, { ...emptyPast, version: 2 }])(
  'the past %j is unknown',
  (past) => expect(readPast({ past } as never)).toBeNull(),
);

it('a past of this version is read', () => expect(readPast({ past: emptyPast } as never)).toEqual(emptyPast));

it.each([{}, { path: null }, { path: [] }, { path: [null] }, { path: 'x' }])(
  'a chain with the lineage %j is its own root',
  (lineage) => expect(getRootId({ chainId: 'chain-1', input: { lineage: lineage as never } })).toBe('chain-1'),
);
