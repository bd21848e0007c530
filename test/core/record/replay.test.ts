/** Replay of a recorded chain: equal facts result in equal turns, and the first difference is reported. */

import { describe, expect, it } from 'vitest';
import { parseRecordedChain } from '../../../src/client/read/parse-recorded-chain.js';
import { takeTurn } from '../../../src/core/engine/turn.js';
import type { Json } from '../../../src/core/lib/json.js';
import type { Action } from '../../../src/core/model/action.js';
import type { Fact } from '../../../src/core/model/fact.js';
import { emptyState } from '../../../src/core/model/state.js';
import type { ChainFileTurn, ChainRun } from '../../../src/core/record/chain-file.js';
import { replayChain, type ToolSubstitute } from '../../../src/core/record/replay.js';
import { readAllExports } from '../../histories/exports.js';
import { converter } from '../../histories/stored.js';

/** Read once: most of them are computed. */
const exports = readAllExports();

async function runsOf(name: string): Promise<readonly ChainRun[]> {
  const stored = (await exports).find(({ file }) => file === `${name}.chain.json`);
  return (await parseRecordedChain(stored?.text ?? '', converter)).runs;
}

function withTurns(runs: readonly ChainRun[], change: (turn: ChainFileTurn) => ChainFileTurn): readonly ChainRun[] {
  return runs.map((run) => ({ ...run, turns: run.turns.map(change) }));
}

function withFacts(runs: readonly ChainRun[], change: (fact: Fact) => Fact): readonly ChainRun[] {
  return withTurns(runs, (turn) => ({ ...turn, facts: turn.facts.map(change) }));
}

function substituteWith(content: (text: Json) => Json): {
  readonly substitute: ToolSubstitute;
  readonly asked: string[];
} {
  const asked: string[] = [];
  const substitute: ToolSubstitute = async ({ id, input }) => {
    asked.push(id);
    return { ok: true, observation: { content: content((input as { text: Json }).text), clippedFrom: null } };
  };
  return { substitute, asked };
}

describe('a reply', () => {
  it('that is parsed differently is reported, with the differing part of its reading', async () => {
    const runs = withFacts(await runsOf('parallel-tools'), (fact) => {
      if (fact.type !== 'modelReplied' || fact.call !== 'model-1') return fact;
      return { ...fact, reply: { ...fact.reply, reading: { ...fact.reply.reading, thought: 'I read it so.' } } };
    });
    const { differences, diverged } = await replayChain(runs);
    expect(differences).toMatchObject([
      {
        kind: 'reading',
        step: 1,
        call: 'model-1',
        recorded: { thought: 'I read it so.' },
        now: { thought: 'I call.' },
      },
    ]);
    // The next request does not contain the thought.
    expect(diverged).toBe(false);
  });

  it('that is parsed differently before `fromStep` is taken as recorded', async () => {
    const runs = withFacts(await runsOf('parallel-tools'), (fact) => {
      if (fact.type !== 'modelReplied') return fact;
      return { ...fact, reply: { ...fact.reply, reading: { ...fact.reply.reading, thought: fact.call } } };
    });
    const { differences } = await replayChain(runs, { fromStep: 3 });
    expect(differences.map(({ call }) => call)).toEqual(['model-3']);
  });
});

it('a long chain with a difference in every reply is compared in part', async () => {
  const ran = await replayChain([await longRun(60)]);
  expect(ran.differences.map(({ kind }) => kind)).toEqual(Array.from({ length: 25 }, () => 'reading'));
  expect(ran.diverged).toBe(false);
  expect(ran.turns.length).toBeLessThan(ran.turnCount);
});

/** A chain with this number of steps, each with a call, and each thought recorded wrongly. */
async function longRun(steps: number): Promise<ChainRun> {
  const [run] = await runsOf('limit-with-closing');
  const facts = run?.turns.flatMap((turn) => turn.facts) ?? [];
  const replied = facts.find((fact) => fact.type === 'modelReplied');
  if (run === undefined || replied?.type !== 'modelReplied') throw new Error('The stored chain has no reply.');
  const begun = facts.slice(0, 2).map((fact): Fact => {
    if (fact.type !== 'prepared') return fact;
    return { ...fact, agent: { ...fact.agent, limits: { ...fact.agent.limits, steps: steps + 1 } } };
  });
  const gone = Array.from({ length: steps }, (_, at): readonly Fact[] => {
    const [call, text] = [`model-${at + 1}`, `word ${at}`];
    const reply = JSON.parse(
      JSON.stringify(replied.reply).replaceAll('"one"', JSON.stringify(text)),
    ) as typeof replied.reply;
    const altered = { ...reply, reading: { ...reply.reading, thought: 'I read it so.' } };
    const observation = { content: text, clippedFrom: null };
    return [
      { ...replied, call, reply: altered },
      { type: 'toolReturned', at: replied.at, call: `${at + 1}.1`, observation },
    ];
  });
  let state = emptyState;
  const turns = [...begun, ...gone.flat()].map((fact, at): ChainFileTurn => {
    const history = { events: at + 1, bytes: 1, continueSuggested: false };
    const turn = takeTurn(state, history, [fact]);
    state = turn.state;
    return { eventId: at + 1, history, facts: [fact], scheduled: turn.actions.flatMap(idsIn) };
  });
  return { ...run, closed: null, result: null, turns };
}

function idsIn(action: Action): readonly string[] {
  if (action.type === 'runCalls') return action.calls.map(({ id }) => id);
  return action.type === 'prepare' ? ['prepare'] : action.type === 'callModel' ? [action.call] : [];
}

describe('a decision', () => {
  it('that differs ends the replay: the record has no answer to it', async () => {
    const runs = withTurns(await runsOf('parallel-tools'), (turn) => ({
      ...turn,
      scheduled: turn.scheduled.filter((id) => id !== '1.2'),
    }));
    const { differences, diverged, turns, turnCount } = await replayChain(runs);
    expect(differences).toMatchObject([
      { kind: 'decision', call: null, recorded: ['1.1', '1.3'], now: ['1.1', '1.2', '1.3'] },
    ]);
    expect(diverged).toBe(true);
    expect(turns.length).toBeLessThan(turnCount);
  });
});

describe('an outcome', () => {
  it('that differs is shown in its differing parts', async () => {
    const runs = (await runsOf('reuse')).map((run) => ({
      ...run,
      result: run.result && { ...run.result, answer: 'Not that.', steps: 9 },
    }));
    const { differences } = await replayChain(runs);
    expect(differences).toMatchObject([
      { kind: 'outcome', recorded: { answer: 'Not that.', steps: 9 }, now: { answer: 'All done.', steps: 4 } },
    ]);
  });

  it('is not compared for a chain without a recorded result', async () => {
    const runs = (await runsOf('cancel-in-tools')).map((run) => ({ ...run, result: null }));
    expect((await replayChain(runs)).differences).toEqual([]);
  });
});

describe('a substitute for a tool', () => {
  it('with the same result changes nothing', async () => {
    const { substitute, asked } = substituteWith((text) => text);
    const ran = await replayChain(await runsOf('parallel-tools'), { substitutes: new Map([['echo', substitute]]) });
    expect(ran).toMatchObject({ differences: [], diverged: false, substitutedCalls: 2 });
    expect(asked).toEqual(['1.1', '1.3']);
  });

  it('with another result is reported, and so is the changed request', async () => {
    const { substitute } = substituteWith((text) => `${text}!`);
    const ran = await replayChain(await runsOf('parallel-tools'), { substitutes: new Map([['echo', substitute]]) });
    expect(ran.differences.map(({ kind, call }) => [kind, call])).toEqual([
      ['result', '1.1'],
      ['result', '1.3'],
      ['request', 'model-2'],
    ]);
    expect(ran.differences[0]).toMatchObject({ tool: 'echo', recorded: 'one', now: 'one!' });
    expect(JSON.stringify(ran.differences[2]?.now)).toContain('one!');
    expect(JSON.stringify(ran.differences[2]?.recorded)).not.toContain('one!');
    expect(ran.diverged).toBe(true);
  });

  it('is not called before `fromStep`', async () => {
    const { substitute, asked } = substituteWith((text) => `${text}!`);
    const substitutes = new Map([['echo', substitute]]);
    const ran = await replayChain(await runsOf('limit-with-closing'), { fromStep: 2, substitutes });
    expect(asked).toEqual(['2.1']);
    expect(ran.differences.map(({ kind, step }) => [kind, step])).toEqual([
      ['result', 2],
      ['request', 2],
    ]);
  });

  it('is not called for an interrupted call', async () => {
    const { substitute, asked } = substituteWith(() => 'here');
    const ran = await replayChain(await runsOf('cancel-in-tools'), { substitutes: new Map([['dwell', substitute]]) });
    expect(asked).toEqual([]);
    expect(ran.differences).toEqual([]);
  });

  it('may fail, and a failure of an unsafe tool has an unknown outcome', async () => {
    const failure = { type: 'Error', message: 'another line broke', timeoutType: null, details: null };
    const substitute: ToolSubstitute = async () => ({ ok: false, failure });
    const ran = await replayChain(await runsOf('unknown-outcome'), { substitutes: new Map([['pay', substitute]]) });
    expect(ran.differences).toMatchObject([
      { kind: 'result', call: '1.2', now: { failed: 'Error: another line broke' } },
      { kind: 'outcome' },
    ]);
  });
});
