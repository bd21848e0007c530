/** L7: an invalid value that completes an activity is a failure that a person can read, and the chain ends. */

import { ApplicationFailure, defaultFailureConverter, defaultPayloadConverter } from '@temporalio/common';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseChildReport } from '../../../src/contract/child-end.js';
import { toActivityFact } from '../../../src/contract/facts.js';
import { toFailure } from '../../../src/contract/failure.js';
import { parseRunInput } from '../../../src/contract/run-input.js';
import { toContinuation } from '../../../src/core/engine/continue-as-new.js';
import { toChainResult } from '../../../src/core/engine/result.js';
import { takeTurn } from '../../../src/core/engine/turn.js';
import { isTooDeep } from '../../../src/core/lib/json.js';
import type { ChainInput, Fact } from '../../../src/core/model/fact.js';
import { emptyState } from '../../../src/core/model/state.js';
import { planDefaults } from '../../../src/core/strategies/strategy.js';
import type { ChainState } from '../../../src/entries/view.js';
import { interpretEvent } from '../../../src/history/event.js';
import type { Json } from '../../../src/index.js';
import { budget } from '../../support/budget.js';
import { type Asked, agentOf, answers, asks, look, pay, someInput } from '../../support/core-builders.js';
import { ask, delegated, delegatingAgent, report } from '../../support/core-delegation.js';
import { needs, rules } from '../../support/core-people.js';
import { Play, prepared } from '../../support/core-play.js';
import { formatStopText } from '../../support/stop-text.js';

const converter = {
  payloadConverter: defaultPayloadConverter,
  failureConverter: defaultFailureConverter,
  payloadCodecs: [],
};

const history = { events: 3, bytes: 1_000, continueSuggested: false };
const agent = agentOf();

const completed = (id: string, value: unknown): Fact => toActivityFact(id, 2_000, { ok: true, value });

function started(): ChainState {
  const play = new Play();
  play.take({ type: 'started', chainId: 'chain-1', input: someInput });
  return play.state;
}

function calling(...calls: readonly Asked[]): ChainState {
  const play = prepared(agent);
  play.replied(asks(...calls));
  return play.state;
}

/** Each activity at the moment when the chain waits for it, and a value that its worker returns. */
const places = {
  'the preparation': { state: started(), id: 'prepare', valid: agent },
  'the preparation of a plan': { state: started(), id: 'prepare', valid: agentOf({ strategy: planDefaults }) },
  'a call of the model': {
    state: prepared(agent).state,
    id: 'model-1',
    valid: { status: 'replied', reply: needs([rules(), null], pay(), look()) },
  },
  'an answer of the model': {
    state: prepared(agent).state,
    id: 'model-1',
    valid: { status: 'replied', reply: answers('42') },
  },
  'a failed call of the model': {
    state: prepared(agent).state,
    id: 'model-1',
    valid: {
      status: 'failed',
      failure: { kind: 'overloaded', message: 'busy', status: 529, retryAfterMs: 5, settle: 'nothing', usage: null },
    },
  },
  'a tool': { state: calling(look()), id: '1.1', valid: { content: { found: [1, 'two'] }, clippedFrom: null } },
  'an unsafe tool': { state: calling(pay()), id: '1.1', valid: { content: 'paid', clippedFrom: null } },
} as const;

const junk: readonly (readonly [string, unknown])[] = [
  ['a text', 'done'],
  ['nothing', undefined],
  ['null', null],
  ['a number', 5],
  ['an empty object', {}],
  ['an empty list', []],
  ['a status without its reply', { status: 'replied' }],
  ['a reply that is a text', { status: 'replied', reply: 'done' }],
  ['an unknown status', { status: 'done' }],
  ['a failure of an unknown kind', { status: 'failed', failure: { kind: 'constructor', message: '' } }],
  ['an agent without a model', { ...agent, model: null }],
];

describe.each(Object.entries(places))('%s with a forged result', (_name, { state, id }) => {
  it.each(junk)('fails with the invalid result: %s', (_what, value) => {
    const turn = takeTurn(state, history, [completed(id, value)]);
    expect(turn.fault).toBeUndefined();
    const recorded = JSON.stringify([formatStopText(turn.state), turn.entries]);
    expect(recorded).toContain('The activity returned an invalid result');
  });
});

describe('a result with a replaced member', () => {
  const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);

  it.each(Object.entries(places))('causes no fault of the chain (%s)', (_name, { state, id, valid }) => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), json, fc.integer({ min: 1, max: 3 }), (numbers, value, times) => {
        const next = (below: number) => numbers.next().value! % below;
        let changed = JSON.parse(JSON.stringify(valid)) as Json;
        for (let time = 0; time < times; time++) changed = replaceMember(changed, value, next);
        expectNoFault(state, completed(id, changed));
      }),
      { numRuns: budget(75, 300) },
    );
  });
});

it('a sub-chain that closes with any value is settled, and its parent can end', () => {
  const { state } = delegated(delegatingAgent(), [ask()]);
  const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
  fc.assert(
    fc.property(fc.infiniteStream(fc.nat()), json, (numbers, value) => {
      const closed = replaceMember(
        JSON.parse(JSON.stringify(report())) as Json,
        value,
        (below) => numbers.next().value! % below,
      );
      const read = parseChildReport(closed);
      const end =
        read === null
          ? ({ type: 'silent', status: 'failed', message: 'x' } as const)
          : ({ type: 'reported', report: read } as const);
      expectNoFault(state, { type: 'childEnded', at: 2_000, chainId: 'chain-1/1.1', end });
    }),
  );
});

describe('a sub-chain that reports impossible amounts', () => {
  it.each([1e308, 5e18, Number.POSITIVE_INFINITY])('is charged the largest safe integer for %d tokens', (tokens) => {
    const read = parseChildReport({
      ...report(),
      charged: { ...report().charged, tokens, usage: { input: tokens } },
    });
    if (!Number.isFinite(tokens)) return expect(read).toBeNull();
    expect(read?.charged.tokens).toBe(Number.MAX_SAFE_INTEGER);
    expect(read?.charged.usage.input).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('a forged start', () => {
  const first = { continuedFrom: null, cronSchedule: undefined, attempt: 1 };
  const reasonOf = (input: unknown) => {
    const fact: Fact = { type: 'started', at: 1, chainId: 'chain-1', input: parseRunInput(input, first) as ChainInput };
    const turn = takeTurn(emptyState, history, [fact]);
    expect(turn.fault).toBeUndefined();
    expect(turn.actions).toEqual([{ type: 'end' }]);
    const { reasonCode, reason } = toChainResult(turn.state);
    return `${reasonCode}: ${reason}`;
  };

  it('does not continue a run that Temporal has not continued', () => {
    const display = { paragraphs: [], hidden: [] };
    expect(reasonOf({ continuation: 1, runId: 'r', state: {}, display })).toMatch(/^incomplete_start: /);
    expect(reasonOf({ continuation: 99, runId: 'r', state: emptyState, display })).toMatch(/^incomplete_start: /);
    const real = toContinuation(prepared(agent).state, 'r', display);
    expect(parseRunInput(real, { ...first, continuedFrom: 'r' })).toBe(real);
  });

  it.each([
    ['the next run of a cron schedule', { cronSchedule: '* * * * *' }],
    ['the next attempt of a workflow', { attempt: 2 }],
  ])('continues no run as %s', (_, start) => {
    const written = toContinuation(prepared(agent).state, 'r', { paragraphs: [], hidden: [] });
    expect(parseRunInput(written, { ...first, continuedFrom: 'r', ...start })).not.toHaveProperty('continuation');
  });

  it.each([
    ['a run that was continued', {}, true],
    ['the next run of a cron schedule', { cronSchedule: '* * * * *' }, false],
    ['the next attempt of a workflow', { attempt: 2 }, false],
  ])('is read from the history in the same way as by the workflow (%s)', async (_, start, continues) => {
    const written = toContinuation(prepared(agent).state, 'r', { paragraphs: [], hidden: [] });
    const input = { payloads: [defaultPayloadConverter.toPayload(written)] };
    const event = {
      workflowExecutionStartedEventAttributes: { input, continuedExecutionRunId: 'r', attempt: 1, ...start },
    };
    const meaning = await interpretEvent(event, converter);
    expect(meaning.type === 'started' && 'continuation' in meaning.input).toBe(continues);
  });

  it('continues a run although the attempt is missing', () => {
    const real = toContinuation(prepared(agent).state, 'r', { paragraphs: [], hidden: [] });
    expect(parseRunInput(real, { continuedFrom: 'r', cronSchedule: '', attempt: 0 })).toBe(real);
  });

  it.each(['model', 'tenant', 'user'])('is rejected with the invalid member (%s)', (member) => {
    expect(reasonOf({ ...someInput, [member]: { length: 3 } })).toMatch(new RegExp(`^invalid_start: .*"${member}"`));
  });

  it('that is nested 5,000 levels deep is rejected and not stored', () => {
    const input = { ...someInput, limits: nest(5_000) };
    expect(reasonOf(input)).toMatch(/^nested_start: /);
    const fact = { type: 'started', at: 1, chainId: 'c', input } as unknown as Fact;
    expect(() => JSON.stringify(takeTurn(emptyState, history, [fact]).state)).not.toThrow();
  });

  it.each([
    ['in a member', { ...someInput, limits: nest(20_000) }],
    ['as a list', [nest(20_000)]],
    ['as a continuation', { continuation: 1, runId: 'r', state: nest(20_000) }],
  ])('that is nested 20,000 levels deep becomes a fact that can be serialized (%s)', (_, input) => {
    const cut = parseRunInput(input, first);
    expect(() => JSON.stringify(cut)).not.toThrow();
    expect(isTooDeep(cut)).toBe(false);
    expect(reasonOf(input)).toMatch(/^nested_start: /);
  });

  it('that is nested 200 levels deep is not changed', () => {
    const input = { ...someInput, limits: nest(199) };
    expect(parseRunInput(input, first)).toBe(input);
  });
});

it('the details of a failure are cut if they are nested too deeply', () => {
  const { details } = toFailure(ApplicationFailure.create({ details: [nest(20_000)] }));
  expect(isTooDeep(details)).toBe(false);
  expect(JSON.stringify(details)).toContain('nested too deeply');
  expect(toFailure(ApplicationFailure.create({ details: [nest(200)] })).details).toEqual(nest(200));
});

function expectNoFault(state: ChainState, fact: Fact): void {
  const turn = takeTurn(state, history, [fact]);
  expect(turn.fault).toBeUndefined();
  expect(() => JSON.stringify(turn.state)).not.toThrow();
  expectEnd(turn.state);
}

/** Expects that the chain can be cancelled and ends, with any state. */
function expectEnd(before: ChainState): void {
  const later: readonly Fact[] = [
    { type: 'modelReplied', at: 2_500, call: 'model-1', reply: asks(look(), pay()) },
    { type: 'toolReturned', at: 2_600, call: '1.1', observation: { content: 'seen', clippedFrom: null } },
    { type: 'cancelRequested', at: 3_000, id: null, by: null, reason: null, summarize: false },
    { type: 'timerFired', at: 13_000, timer: 'grace' },
    { type: 'timerFired', at: 23_000, timer: 'grace' },
  ];
  let state = before;
  const actions = later.flatMap((fact) => {
    const turn = takeTurn(state, history, [fact]);
    state = turn.state;
    return turn.actions.map(({ type }) => type);
  });
  expect(actions).toContain('end');
}

/** Replaces one member of the value, at any depth; `next` chooses it. */
function replaceMember(value: Json, by: Json, next: (below: number) => number): Json {
  if (typeof value !== 'object' || value === null || next(6) === 0) return by;
  const entries = Object.entries(value);
  if (entries.length === 0) return by;
  const at = next(entries.length);
  if (Array.isArray(value)) return value.map((item, index) => (index === at ? replaceMember(item, by, next) : item));
  const [key, member] = entries[at]!;
  if (next(5) === 0) return Object.fromEntries(entries.filter(([name]) => name !== key));
  return { ...value, [key]: replaceMember(member as Json, by, next) };
}

function nest(levels: number): Json {
  let value: Json = 1;
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}
