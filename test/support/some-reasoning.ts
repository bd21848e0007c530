/**
 * Chains as people read them, made up: by hand for examples, by fast-check for properties. Every word that a rule may
 * have to keep back is a canary of its own, `cnr17x`, so that a test can tell where each has come to.
 */

import fc from 'fast-check';
import type {
  NoticeStep,
  SynthesisStep,
  ThinkingStep,
  ToolCallStep,
  ToolResultStep,
} from '../../src/core/view/reasoning.js';
import type { ApprovalStep, Json, Reasoning, ReasoningStep, SubChain, ToolView } from '../../src/index.js';
import { usage } from './core-builders.js';

export const someTools: Readonly<Record<string, ToolView>> = {
  weather: {},
  query: { kind: 'database', summary: 'Queried {table}, returned {rowCount} rows', sensitive: ['ssn', 'rows.*.ssn'] },
  score: { kind: 'skill' },
  ask: { kind: 'sub_agent' },
};

const spoken = { model: 'some-model-1', usage: usage(100, 10), costUsd: 0.001, durationMs: 1_000, attempts: 1 };

/** At a second each. */
const at = (number: number) => number * 1_000;

export function thought(number: number, words: string): ThinkingStep {
  return { kind: 'thinking', id: `${number}`, number, at: at(number), thought: words, problem: null, spoken };
}

const kindOf = (tool: string) => someTools[tool]?.kind ?? 'external';

export function call(id: string, tool: string, input: Json, more: Partial<ToolCallStep> = {}): ToolCallStep {
  const number = Number.parseInt(id, 10);
  const named = { tool, toolKind: kindOf(tool), correlationId: id };
  return { kind: 'tool_call', id, number, at: at(number), ...named, input, status: 'ok', attempts: null, ...more };
}

export function result(
  id: string,
  tool: string,
  observation: Json,
  more: Partial<ToolResultStep> = {},
): ToolResultStep {
  const number = Number.parseInt(id, 10);
  return {
    kind: 'tool_result',
    id: `${id}r`,
    number,
    at: at(number) + 500,
    tool,
    toolKind: kindOf(tool),
    correlationId: id,
    status: 'ok',
    observation,
    clippedFrom: null,
    reusedFrom: null,
    durationMs: 500,
    ...more,
  };
}

export function approval(id: string, tool: string, input: Json, more: Partial<ApprovalStep> = {}): ApprovalStep {
  const number = Number.parseInt(id, 10);
  return {
    kind: 'approval',
    id: `${id}p1`,
    number,
    at: at(number) + 100,
    correlationId: id,
    tool,
    toolKind: kindOf(tool),
    request: 'approval',
    reason: 'It costs something.',
    risk: 'high',
    roles: ['ops'],
    approvers: 1,
    onExpiry: 'deny',
    digest: 'some-digest',
    input,
    status: 'waiting',
    decisions: [],
    expiresAt: at(number) + 60_000,
    durationMs: null,
    ...more,
  };
}

export function synthesis(number: number, conclusion: Json): SynthesisStep {
  const id = `${number}a`;
  return { kind: 'synthesis', id, number, at: at(number), conclusion, sources: [], confidence: null, spoken: null };
}

export function noticed(number: number, notice: NoticeStep['notice'], text: string): NoticeStep {
  return { kind: 'notice', id: `${number}n1`, number, at: at(number) + 600, notice, text };
}

export function reasoningWith(steps: readonly ReasoningStep[], more: Partial<Reasoning> = {}): Reasoning {
  return {
    chainId: 'chain-1',
    agent: 'clerk',
    model: 'some-model',
    task: 'Find out what is due.',
    tenant: null,
    user: null,
    origin: null,
    state: 'completed',
    outcome: 'success',
    reason: null,
    answer: 'Nothing is.',
    partial: null,
    startedAt: 0,
    endedAt: 60_000,
    usage: usage(1_000, 100),
    tokens: 1_100,
    costUsd: 0.01,
    tools: someTools,
    steps,
    children: {},
    ...more,
  };
}

/** A sub-chain whose own history was read whole. */
export function opened(chain: Reasoning): SubChain {
  const { chainId, agent, task, outcome, steps, tokens, costUsd } = chain;
  const own = { chains: 1, tokens, costUsd };
  const number = Math.max(0, ...steps.map((step) => step.number));
  return { chainId, agent, task, state: 'completed', outcome, steps: number, own, total: own, chain };
}

/** The loan application of a journey: eight steps, each with a tool that a bank would have. */
export const loan = reasoningWith(
  [
    thought(1, 'I need the credit score.'),
    call('1.1', 'query', { table: 'scores', ssn: '123-45-6789' }),
    result('1.1', 'query', { rowCount: 1247, rows: [{ score: 580, ssn: '123-45-6789' }] }),
    thought(2, 'The applicant with 123-45-6789 has 580; below 620.'),
    call('2.1', 'score', { score: 580 }),
    call('2.2', 'weather', { city: 'Paris' }),
    result('2.1', 'score', 'risk is high'),
    result('2.2', 'weather', { celsius: 18 }),
    thought(3, 'High risk.'),
    synthesis(3, 'Deny.'),
  ],
  { tenant: 'bank', user: 'officer', answer: 'Deny.', task: 'Application 78291' },
);

/** What of a value is a canary, wherever it stands in it. */
export function canariesIn(value: unknown): ReadonlySet<string> {
  return new Set(JSON.stringify(value).match(/cnr\d+x/g) ?? []);
}

interface Shape {
  readonly calls: readonly {
    readonly tool: string;
    readonly failed: boolean;
    readonly pending: boolean;
    readonly asked: boolean;
  }[];
  readonly notice: boolean;
  readonly thought: boolean;
}

const someShape: fc.Arbitrary<Shape> = fc.record({
  calls: fc.array(
    fc.record({
      tool: fc.constantFrom('weather', 'query', 'score', 'ask', 'made_up'),
      failed: fc.boolean(),
      pending: fc.boolean(),
      asked: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
  notice: fc.boolean(),
  thought: fc.boolean(),
});

export const someReasoning: fc.Arbitrary<Reasoning> = fc
  .record({
    shapes: fc.array(someShape, { maxLength: 5 }),
    below: fc.array(someShape, { maxLength: 2 }),
    tenant: fc.constantFrom(null, 'bank', 'shop'),
    known: fc.boolean(),
    answered: fc.boolean(),
  })
  .map(({ shapes, below, tenant, known, answered }) => {
    let count = 0;
    const canary = () => `cnr${count++}x`;
    const chain = (of: readonly Shape[], more: Partial<Reasoning>): Reasoning => {
      const steps = of.flatMap((shape, index) => stepsOf(shape, index + 1, canary));
      const last = of.length + 1;
      const answer = answered ? canary() : null;
      const task = canary();
      return reasoningWith([...steps, ...(answer === null ? [] : [synthesis(last, answer)])], {
        ...more,
        task,
        answer,
        partial: answered ? null : canary(),
        reason: answered ? null : `It stopped: ${canary()}.`,
        tools: known ? someTools : null,
      });
    };
    const top = chain(shapes, { tenant });
    const asked = top.steps.flatMap((step) => (step.kind === 'tool_call' && step.tool === 'ask' ? [step.id] : []));
    const child = (chainId: string) => opened(chain(below, { chainId, agent: 'helper' }));
    const begun = asked.map((id) => [id, [child(`${top.chainId}/${id}.1`), child(`${top.chainId}/${id}.2`)]] as const);
    return { ...top, children: Object.fromEntries(begun) };
  });

function stepsOf({ calls, notice, thought: thinks }: Shape, number: number, canary: () => string): ReasoningStep[] {
  const some = (): Json => ({ q: canary(), ssn: canary(), deep: [{ in: canary() }] });
  const made = calls.map(({ tool, pending, asked }, index) =>
    call(`${number}.${index + 1}`, tool, some(), {
      ...(pending ? { status: 'pending' } : {}),
      ...(asked ? { changedFrom: some() } : {}),
    }),
  );
  const people = made.flatMap((each, index): readonly ApprovalStep[] => {
    if (!calls[index]?.asked) return [];
    const said = { by: 'ana', roles: [], reason: canary(), at: at(number) };
    const decisions = [{ ...said, kind: 'approved' as const, input: each.input }];
    const changed = { changedInput: each.input, reason: canary(), decisions };
    return [approval(each.id, each.tool, each.changedFrom ?? null, changed)];
  });
  const came = calls.flatMap(({ tool, failed, pending }, index) => {
    const observation = failed
      ? canary()
      : { rowCount: number, table: 'plain', rows: [{ ssn: canary(), of: canary() }] };
    return pending ? [] : [result(`${number}.${index + 1}`, tool, observation, failed ? { status: 'error' } : {})];
  });
  const first = made[0];
  return [
    thought(number, thinks ? canary() : ''),
    ...made.flatMap((each) => [each, ...people.filter(({ correlationId }) => correlationId === each.id)]),
    ...came,
    ...(notice && first !== undefined
      ? [noticed(number, 'stalled', `${first.tool}(${JSON.stringify(first.input)}) was asked for again.`)]
      : []),
  ];
}
