/** Which calls are local, and what follows when one of them fails. */

import { describe, expect, it } from 'vitest';
import { agentOf, answers, asks, someInput, someTools, tool } from '../../support/core-builders.js';
import { lineage } from '../../support/core-delegation.js';
import { type Play, prepared, started } from '../../support/core-play.js';

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
      { lineage: lineage({ branch: { steps: 1, hypothesis: 'It is so.' } }) },
    ],
    ['with files, which are stored, is not', false, { files: [file] }],
    ['whose tokens the provider counts is not', false, { task: 'x'.repeat(500_000) }],
  ] as const)('%s', (_name, isPreparedLocally, input) => {
    const play = started({ ...someInput, ...input });
    expect(play.actions).toEqual([isPreparedLocally ? { type: 'prepare', local: true } : { type: 'prepare' }]);
  });

  it('that fails locally is an activity, without a notice, also where a worker then lacks the agent', () => {
    const play = started();
    play.take({ type: 'requeued', activity: 'prepare', local: true });
    expect(play.actions).toEqual([{ type: 'prepare' }]);
    expect(play.chain.notices).toEqual([]);
    play.take({ type: 'requeued', activity: 'prepare' });
    expect(play.actions).toEqual([{ type: 'prepare' }]);
    play.take({ type: 'prepared', agent });
    expect(play.modelCall).toMatchObject({ call: 'model-1', purpose: 'step' });
  });

  it('that fails locally after a cancel is not repeated', () => {
    const play = started();
    const cancel = { type: 'cancelRequested', id: 'request-1', by: 'Ada', reason: null, summarize: true } as const;
    play.take({ type: 'requeued', activity: 'prepare', local: true }, cancel);
    play.cancelledByTemporal();
    expect(play.result).toMatchObject({ outcome: 'cancelled', partial: null });
  });
});
