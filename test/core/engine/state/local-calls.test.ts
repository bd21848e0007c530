/** Which calls are local, and what follows when one of them fails. */

import { describe, expect, it } from 'vitest';
import { toRunStartState } from '../../../../src/contract/run-input.js';
import { mayPrepareLocally } from '../../../../src/core/engine/state/local-calls.js';
import { agentOf, answers, asks, someInput, someTools, tool } from '../../../support/core-builders.js';
import { lineage } from '../../../support/core-delegation.js';
import { Play, prepared } from '../../../support/core-play.js';

const glance = tool('glance', { local: true });
const agent = agentOf({ tools: [...someTools, glance, tool('write', { local: true, effects: 'idempotent' })] });

function playCalls(...names: readonly string[]): Play {
  const play = prepared(agent);
  play.replied(asks(...names.map((name) => ({ tool: name, input: { of: name } }))));
  return play;
}

const isLocal = ({ actions }: Play) => actions.flatMap((action) => (action.type === 'runCalls' ? [action.local] : []));

describe('the ready calls of a step', () => {
  it.each([
    [['glance'], true],
    [['glance', 'glance'], true],
    [['glance', 'look'], undefined],
    [['look'], undefined],
    // The effects of a snapshot decide, not its definition.
    [['write'], undefined],
  ])('%j are local: %s', (names, local) => {
    expect(isLocal(playCalls(...names))).toEqual([local]);
  });
});

describe('a local call that fails', () => {
  it('runs as an activity, without a notice, and the others keep their results', () => {
    const play = playCalls('glance', 'glance');
    play.take(
      { type: 'toolReturned', call: '1.1', observation: { content: 'seen', clippedFrom: null } },
      { type: 'requeued', activity: '1.2', local: true },
    );
    expect(play.actions).toMatchObject([{ type: 'runCalls', calls: [{ id: '1.2' }] }]);
    expect(isLocal(play)).toEqual([undefined]);
    expect(play.chain.notices).toEqual([]);
    expect(play.state.requeue).toBeNull();
    play.returned('1.2');
    play.replied(answers('Done.'));
    expect(play.result).toMatchObject({ outcome: 'success' });
  });

  it('does not run where a cancel arrived meanwhile', () => {
    const play = playCalls('glance');
    play.take(
      { type: 'cancelRequested', id: 'request-1', by: 'Ada', reason: null, summarize: false },
      { type: 'requeued', activity: '1.1', local: true },
    );
    expect(isLocal(play)).toEqual([]);
    expect(play.statuses).toEqual(['not_run']);
  });

  it('that is no local call is ignored', () => {
    const play = playCalls('look');
    const { state } = play;
    play.take({ type: 'requeued', activity: '1.1', local: true });
    expect(play.state.flight).toEqual(state.flight);
  });
});

describe('the preparation of the agent', () => {
  const file = { name: 'a.txt', mediaType: 'text/plain', bytes: 5, digest: `sha256:${'0'.repeat(64)}` };

  it.each([
    ['of a root is local', true, {}],
    ['of a sub-chain is local', true, { lineage: lineage() }],
    [
      'of a branch, which reads its parent, is not',
      false,
      { lineage: lineage({ branch: { steps: 1, hypothesis: '' } }) },
    ],
    ['with files, which are stored, is not', false, { files: [file] }],
    ['whose tokens the provider counts is not', false, { task: 'x'.repeat(500_000) }],
    [
      'of a fork is not',
      false,
      { origin: { chainId: 'c', runId: 'r', digest: '', turns: '', steps: 1, message: null } },
    ],
  ] as const)('%s', (_name, isLocal, input) => {
    expect(mayPrepareLocally({ ...someInput, ...input })).toBe(isLocal);
  });

  it.each([undefined, null, 'text', [], { agent: 7 }])('of the invalid start %j is not local', (input) => {
    expect(mayPrepareLocally(input as never)).toBe(false);
  });

  it('is in the first turn, which calls the model', () => {
    const play = new Play();
    play.take({ type: 'started', chainId: 'chain-1', input: someInput }, { type: 'prepared', agent });
    expect(play.modelCall).toMatchObject({ call: 'model-1', purpose: 'step' });
  });

  it('is not used by a start that is invalid, or by a chain that was cancelled before', () => {
    const play = new Play();
    const prepare = { type: 'prepared', agent } as const;
    play.take({ type: 'started', chainId: 'chain-1', input: { ...someInput, lineage: {} as never } }, prepare);
    expect(play.result).toMatchObject({ outcome: 'failure', reason: expect.stringContaining('lineage') });
    expect(play.state.agent).toBeNull();
    const cancelled = new Play();
    const cancel = { type: 'cancelRequested', id: null, by: null, reason: null, summarize: true } as const;
    cancelled.take({ type: 'started', chainId: 'chain-1', input: someInput }, cancel, prepare);
    expect(cancelled.result).toMatchObject({ outcome: 'cancelled', partial: null });
  });

  it('is that of a start without the members that are null', () => {
    const start = { ...someInput, lineage: null, origin: null } as never;
    expect(toRunStartState(start, 'chain-1').preparation).toEqual(
      Object.fromEntries(Object.entries(someInput).filter(([, value]) => value !== null)),
    );
  });

  it('that fails locally is an activity, without a notice', () => {
    const play = new Play();
    const failed = { type: 'requeued', activity: 'prepare', local: true } as const;
    play.take({ type: 'started', chainId: 'chain-1', input: someInput }, failed);
    expect(play.actions).toEqual([{ type: 'prepare' }]);
    expect(play.chain.notices).toEqual([]);
    play.take({ type: 'prepared', agent });
    expect(play.modelCall).toMatchObject({ call: 'model-1', purpose: 'step' });
  });
});
