/** A chain has the classes of all data that it has read: those of its task, its tools, its sub-chains and its origin. */

import { expect, it } from 'vitest';
import { createForkStart } from '../../../src/client/start/fork.js';
import { createChildReport } from '../../../src/core/engine/child-report.js';
import { foldRecordedTurns } from '../../../src/core/engine/fold-turns.js';
import type { RecordedChain } from '../../../src/entries/view.js';
import { agentOf, answers, asks, look, someInput, tool } from '../../support/core-builders.js';
import { ask, begunBy, delegation, reported } from '../../support/core-delegation.js';
import { type Play, prepared, started } from '../../support/core-play.js';

const agent = agentOf({
  tools: [tool('look'), tool('records', { dataClasses: ['health'] }), tool('ask', { delegates: delegation() })],
  limits: { depth: 5, chains: 200 },
});
const input = { ...someInput, dataClasses: ['personal'] };
const readRecords = { tool: 'records', input: {} };

it('the class of a tool is added by a result, not by the call', () => {
  const play = prepared(agent, input);
  play.replied(asks(readRecords));
  expect(play.state.dataClasses).toEqual(['personal']);
  play.returned('1.1');
  expect(play.state.dataClasses).toEqual(['health', 'personal']);
});

it('a sub-chain starts with all classes of its parent, and its own return with its report', () => {
  const play = prepared(agent, input);
  play.replied(asks(readRecords));
  play.returned('1.1');
  play.replied(asks(ask()));
  const [child] = begunBy(play.asked);
  expect(child?.input.dataClasses).toEqual(['health', 'personal']);
  const below = started(child?.input ?? input);
  expect(below.state.dataClasses).toEqual(['health', 'personal']);
  reported(play, child?.chainId ?? '', { dataClasses: ['health', 'personal', 'secret'] });
  expect(play.state.dataClasses).toEqual(['health', 'personal', 'secret']);
  play.replied(answers('Done.'));
  expect(play.result.dataClasses).toEqual(['health', 'personal', 'secret']);
});

it('the report of a sub-chain has the classes of all that it has read', () => {
  const play = prepared(agent, input);
  play.replied(asks(readRecords));
  play.returned('1.1');
  play.replied(answers('Done.'));
  const { dataClasses } = createChildReport(play.chain, null, { transcript: false, maxTokens: 100 });
  expect(dataClasses).toEqual(['health', 'personal']);
});

/** A chain as read from a server. */
function toRecorded({ turns }: Play): RecordedChain {
  const rest = { heads: [], closed: null, closedAt: null, attempts: new Map(), runs: [], events: null };
  return { chainId: 'chain-1', runId: 'run-1', ...foldRecordedTurns(turns), ...rest };
}

it('a fork has the classes of the task and of the steps that it keeps, and those that it is given', () => {
  const play = prepared(agent, input);
  play.replied(asks(look()));
  play.returned('1.1');
  play.replied(asks(readRecords));
  play.returned('2.1');
  const forkAt = (atStep: number, dataClass?: string) => {
    const { origin, options } = createForkStart(toRecorded(play), { atStep, dataClass });
    const dataClasses = options.dataClass as readonly string[];
    return started({ ...someInput, origin, dataClasses }).state.dataClasses;
  };
  expect(forkAt(1)).toEqual(['personal']);
  expect(forkAt(2)).toEqual(['health', 'personal']);
  expect(forkAt(1, 'secret')).toEqual(['personal', 'secret']);
});
