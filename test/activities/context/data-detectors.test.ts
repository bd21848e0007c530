/** Detectors mark a chain with the classes of what its requests contain, and the marks are facts. */

import { describe, expect, it } from 'vitest';
import {
  checkDataDetectors,
  createDataMarker,
  type DataDetector,
} from '../../../src/activities/context/data-detectors.js';
import { foldRecordedTurns } from '../../../src/core/engine/fold-turns.js';
import type { Chain } from '../../../src/entries/view.js';
import type { Json } from '../../../src/index.js';
import { agentOf, asks, look, modelFailure, someInput, tool } from '../../support/core-builders.js';
import { ask, begunBy, delegation } from '../../support/core-delegation.js';
import { prepared } from '../../support/core-play.js';

const personal: DataDetector = { dataClass: 'personal', find: 'redactor' };
const find = (detectors: readonly DataDetector[], chain: Chain) => createDataMarker(detectors)(chain).found;

/** A chain that has read this result. */
function read(result: Json): Chain {
  const play = prepared();
  play.replied(asks(look()));
  play.returned('1.1', result);
  return play.chain;
}

describe('the redactor as a detector', () => {
  it.each<[string, Chain]>([
    ['the task', prepared(agentOf(), { ...someInput, task: 'Write to ann@example.com.' }).chain],
    ['a result', read('Her card is 4111 1111 1111 1111.')],
    ['a field of a result', read({ rows: [{ mail: 'ann@example.com' }] })],
    [
      'a message of a person',
      { ...read('Nothing.'), messages: [{ text: 'Call +1 415 555 2671.', by: null, afterStep: 1, at: 5 }] },
    ],
    [
      'an earlier message',
      prepared(agentOf(), {
        ...someInput,
        earlier: { omitted: 0, tools: [], messages: [{ role: 'user', text: 'I am ann@example.com' }] },
      }).chain,
    ],
  ])('finds personal data in %s', (_, chain) => {
    expect(find([personal], chain)).toEqual({ dataClasses: ['personal'] });
  });

  it('finds nothing in plain data, in kinds that it does not look for, and where the chain has the class', () => {
    expect(find([personal], read({ total: 12, note: 'All is paid.' }))).toEqual({});
    expect(find([{ ...personal, kinds: ['card'] }], read('ann@example.com'))).toEqual({});
    const marked = prepared(agentOf(), { ...someInput, task: 'ann@example.com', dataClasses: ['personal'] });
    expect(find([personal], marked.chain)).toEqual({});
  });

  it('finds an optional kind that it is given', () => {
    expect(find([{ ...personal, kinds: ['ip-address'] }], read('From 203.0.113.7.'))).toEqual({
      dataClasses: ['personal'],
    });
  });
});

describe('a function as a detector', () => {
  it('sees each text of a chain once, however many calls the chain makes', () => {
    const seen: string[] = [];
    const mark = createDataMarker([{ dataClass: 'secret', find: (each) => seen.push(each) === 0 }]);
    const play = prepared();
    mark(play.chain);
    play.replied(asks(look()));
    play.returned('1.1', 'one');
    mark(play.chain);
    play.replied(asks(look(2)));
    play.returned('2.1', 'two');
    mark(play.chain);
    mark(play.chain);
    expect(seen).toEqual([someInput.task, 'one', 'two']);
  });
});

it('the classes that were found are a fact of the call, made or failed, and sub-chains start with them', () => {
  const delegating = agentOf({ tools: [tool('ask', { delegates: delegation() })], limits: { depth: 5, chains: 200 } });
  const play = prepared(delegating, { ...someInput, task: 'Write to ann@example.com.' });
  const { found, chain } = createDataMarker([personal])(play.chain);
  expect(chain.state.dataClasses).toEqual(['personal']);
  expect(play.state.dataClasses).toEqual([]);
  play.failed({ ...modelFailure('data_class'), ...found });
  expect(play.state.dataClasses).toEqual(['personal']);
  play.after(600_000).fired('retry');
  play.replied({ ...asks(ask()), dataClasses: ['health'] });
  expect(play.state.dataClasses).toEqual(['health', 'personal']);
  expect(begunBy(play.asked)[0]?.input.dataClasses).toEqual(['health', 'personal']);
  expect(foldRecordedTurns(play.turns).chain.state).toEqual(play.state);
});

it.each<[unknown, string]>([
  [[{ dataClass: 'a b', find: 'redactor' }], 'detect.0.dataClass must be a data class'],
  [[{ dataClass: 'personal' }], 'detect.0.find is missing'],
  [[{ find: 'redactor' }], 'detect.0.dataClass is missing'],
  [[{ dataClass: 'personal', find: 'regex' }], "detect.0.find must be 'redactor' or a function"],
  [[{ dataClass: 'personal', find: 'redactor', kinds: ['mail'] }], 'detect.0.kinds.0 must be private-key'],
  [
    [{ dataClass: 'personal', find: () => true, kinds: ['email'] }],
    "detect.0.kinds has no effect without find: 'redactor'",
  ],
])('an invalid detector is rejected with the fix: %j', (detect, problem) => {
  expect(checkDataDetectors(detect, 'detect')).toContain(problem);
});
