/** Findings, criteria and confidence: asked for by schema, validated, and shown to readers. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSnapshot } from '../../src/agents/snapshot.js';
import { compactReading } from '../../src/core/strategies/compact-reading.js';
import { getStrategy, renderRequest } from '../../src/core/strategies/strategies.js';
import { toReasoning } from '../../src/core/view/build-reasoning.js';
import { formatMarkdownReport } from '../../src/core/view/print/report.js';
import { createViewer, view } from '../../src/entries/view.js';
import {
  type Agent,
  type AgentDefinition,
  defineAgent,
  fromJsonSchema,
  type Json,
  type StrategyChoice,
} from '../../src/index.js';
import { loadCatalogue } from '../../src/models/catalogue/catalogue.js';
import { createModels } from '../../src/models/models.js';
import { rawReply, text, use } from '../support/core-builders.js';
import { type Play, prepared } from '../support/core-play.js';

const unused = { name: 'unused', call: () => Promise.reject(new Error('Unexpected call.')) };
const worker = {
  models: createModels({ providers: [unused], catalogue: loadCatalogue() }),
  ...({ defaultModel: null, modelRetry: {}, onProviderError: 'hold', localCalls: true } as const),
};
const least = { name: 'clerk', model: 'some-model' } as const;
const outputSchema = z.strictObject({ approved: z.boolean() });

/** A model that writes the members for which its request has descriptions, and no other. */
function answerTo(request: string): Json {
  return {
    ...(request.includes('approved') ? { approved: false } : { answer: 'Rejected.' }),
    ...(request.includes('Why it holds')
      ? {
          findings: [
            { statement: 'The debt is too high.', reason: 'DTI 0.43 is above 0.36.', sources: ['credit_report'] },
            { statement: 'ann@example.com applied.', reason: 'The form has this address.', sources: [] },
          ],
          decision: { criteria: ['DTI 0.43 > 0.36'] },
        }
      : {}),
    ...(request.includes('How likely the answer is correct') ? { confidence: 0.4 } : {}),
  };
}

/** Plays one call of the model; `change` may spoil its answer. */
function ask(agent: Agent, change: (answer: Json) => Json = (answer) => answer): Play {
  const snapshot = createSnapshot(agent, { model: null, limits: {} }, worker);
  const play = prepared(snapshot);
  const answer = change(answerTo(JSON.stringify(renderRequest(play.chain, snapshot, 'step'))));
  const json = JSON.stringify(answer);
  const { name } = snapshot.strategy;
  const written = name === 'react' ? text(`Thought: It is clear.\nFinal Answer: ${json}`) : text(json);
  const hasFinish = name === 'autonomous' || name === 'plan';
  const reply = rawReply([hasFinish ? use('u1', 'finish', { result: answer }) : written]);
  const reading = getStrategy(snapshot.strategy).parse(reply, snapshot, agent.validateCall, agent.validateAnswer);
  const { content: _, ...rest } = reply;
  const sent = { provider: 'unused', request: '0'.repeat(64), check: null, approvals: null };
  play.replied({ ...rest, ...sent, reading: compactReading(reading) });
  return play;
}

const define = (more: Partial<AgentDefinition>) => defineAgent({ ...least, ...more } as AgentDefinition & typeof least);
const answerOf = (play: Play) => play.chain.steps[0]?.answer;
const viewOf = ({ chain }: Play, role: string) =>
  view(toReasoning({ chain, closed: null, closedAt: null, attempts: new Map() }), createViewer(role));

describe('an answer with findings', () => {
  it.each<StrategyChoice>(['tools', 'react', 'autonomous', 'plan'])(
    'has them by schema, with a reason and sources each, and the criteria of its decision: %s',
    (strategy) => {
      const asked = define({ strategy, findings: true, confidence: true, outputSchema });
      expect(answerOf(ask(asked))).toMatchObject({
        approved: false,
        findings: [{ reason: 'DTI 0.43 is above 0.36.', sources: ['credit_report'] }, {}],
        decision: { criteria: ['DTI 0.43 > 0.36'] },
        confidence: 0.4,
      });
      expect(answerOf(ask(define({ strategy, findings: true })))).toMatchObject({
        answer: 'Rejected.',
        findings: [{}, {}],
      });
      expect(answerOf(ask(define({ strategy, outputSchema })))).toEqual({ approved: false });
    },
  );

  it.each<[string, (answer: Json) => Json, string]>([
    [
      'a finding lacks its reason',
      (answer) => ({ ...(answer as object), findings: [{ statement: 'It is.', sources: [] }] }),
      'findings.0.reason: Invalid input',
    ],
    ['an own member is invalid', (answer) => ({ ...(answer as object), approved: 'no' }), 'approved: Invalid input'],
    [
      'a member is not in the strict own schema',
      (answer) => ({ ...(answer as object), extra: 1 }),
      'Unrecognized key: "extra"',
    ],
    ['the confidence is in percent', (answer) => ({ ...(answer as object), confidence: 70 }), 'confidence: Too big'],
  ])('is asked for again where %s', (_, change, problem) => {
    const play = ask(define({ findings: true, confidence: true, outputSchema }), change);
    expect(play.chain.steps[0]).toMatchObject({ answer: null, problem: expect.stringContaining(problem) });
  });

  it('cannot share the names of its members with the schema of the agent', () => {
    const rejection = (more: Partial<AgentDefinition>) => () => define(more);
    expect(rejection({ confidence: true, outputSchema: z.object({ confidence: z.string() }) })).toThrow(
      'outputSchema has the member confidence, which `confidence: true` adds: rename yours, or remove `confidence`.',
    );
    expect(rejection({ findings: true, outputSchema: z.object({ decision: z.string() }) })).toThrow('`findings: true`');
    const either = fromJsonSchema({ type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] });
    expect(rejection({ findings: true, outputSchema: either })).toThrow(
      'outputSchema must be one object with its members listed, to which findings adds: write z.object({ … }), or remove `findings`.',
    );
  });

  it('is printed as lines, masked as the answer is', () => {
    const play = ask(define({ findings: true, confidence: true }));
    const report = formatMarkdownReport(viewOf(play, 'developer'));
    expect(report).toContain('- `Finding: The debt is too high. Why: DTI 0.43 is above 0.36. (credit_report)`');
    expect(report).toContain('- `Criterion: DTI 0.43 > 0.36`');
    expect(report).toContain('```text\nRejected.\n```');
    expect(report).toMatch(/Finding: \[redacted:email.*\] applied/);
    expect(report).not.toContain('ann@example.com');
  });
});

it('the confidence of an answer is that of its schema: no text is searched where the agent asks for one', () => {
  const stated = 'Confidence: 90 %';
  const confidenceOf = (play: Play) =>
    viewOf(play, 'developer').steps.flatMap((step) =>
      step.level === 'full' && step.kind === 'synthesis' ? [step.confidence] : [],
    );
  expect(confidenceOf(ask(define({ confidence: true })))).toEqual([0.4]);
  expect(
    confidenceOf(
      ask(define({ confidence: true, strategy: 'react' }), (answer) => ({ ...(answer as object), answer: stated })),
    ),
  ).toEqual([0.4]);
  // The model ends with a phrase, so its answer is a text.
  const ends = { strategy: 'tools', successPhrases: ['Confidence'] } as const;
  const endByText = (agent: Agent) => {
    const snapshot = createSnapshot(agent, { model: null, limits: {} }, worker);
    const play = prepared(snapshot);
    const sent = { ...rawReply([text(stated)]), provider: 'unused', request: null, check: null, approvals: null };
    const reading = {
      thought: null,
      calls: [],
      answer: stated,
      problem: null,
      scratchpad: null,
      content: [text(stated)],
    };
    play.replied({ ...sent, reading });
    return play;
  };
  expect(confidenceOf(endByText(define({ ...ends, confidence: true })))).toEqual([null]);
  expect(confidenceOf(endByText(define(ends)))).toEqual([0.9]);
});
