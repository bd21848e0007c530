/** A sum of costs is not complete where a model without a price was used: results and readers state the tokens. */

import { describe, expect, it } from 'vitest';
import { computeCharge } from '../../../src/core/engine/state/budget-tree.js';
import { toCanonicalJson } from '../../../src/core/lib/json.js';
import type { CallableModel } from '../../../src/core/model/call-cost.js';
import { computeCosts } from '../../../src/core/record/chain-costs.js';
import { buildReasoning } from '../../../src/core/view/build-reasoning.js';
import { formatHeadLines } from '../../../src/core/view/print/head-lines.js';
import { formatChainSpending, sumSpending } from '../../../src/core/view/sub-chain.js';
import { createViewer, type ModelUse, view } from '../../../src/entries/view.js';
import type { Price } from '../../../src/index.js';
import { agentOf, answers, asks, modelFailure, somePrice, tool, usage } from '../../support/core-builders.js';
import { ask, charged, delegated, delegatingAgent, reported } from '../../support/core-delegation.js';
import { type Play, prepared } from '../../support/core-play.js';

/** A chain whose own model has one of these prices, and its tool's model the other. */
function playMixed(own: Price | null, asked: Price | null): Play {
  const fast: CallableModel = {
    ...{ name: 'fast', provider: 'some-provider', id: 'fast-1', price: asked, maxTokens: 8_000 },
    ...{ contextTokens: null, takesTemperature: false },
  };
  const cost = { kind: 'model', models: [fast], maxTokens: 1_000, instructionBytes: 0 } as const;
  const play = prepared(agentOf({ tools: [tool('llm', { cost })], limits: { costUsd: null }, model: { price: own } }));
  play.replied(asks({ tool: 'llm', input: { model: 'fast', prompt: 'What is due?' } }));
  const use: ModelUse = {
    ...{ part: 0, model: 'fast-1', provider: 'some-provider', settle: 'usage', durationMs: 900 },
    usage: usage(500, 104),
  };
  play.take({ type: 'toolReturned', call: '1.1', observation: { content: 'nothing', clippedFrom: null, uses: [use] } });
  play.replied(answers('Done.'));
  return play;
}

function showHead({ chain, at }: Play): string {
  const shown = view(buildReasoning(chain), createViewer('developer'));
  return toCanonicalJson(formatHeadLines(shown, at));
}

describe.each([
  ['a tool', somePrice, null, 604, 0.006],
  ['the agent itself', null, somePrice, 2_200, 0.00204],
] as const)('a chain in which %s uses a model without a price', (_, own, asked, unpricedTokens, costUsd) => {
  const play = playMixed(own, asked);

  it('states its tokens beside the cost, in its result and in its costs', () => {
    expect(play.result).toMatchObject({ costUsd, unpricedTokens });
    expect(computeCosts(play.chain).total).toMatchObject({ costUsd, unpricedTokens });
    expect(computeCharge(play.state)).toMatchObject({ usd: costUsd, unpricedTokens });
  });

  it('shows them in its first lines', () => {
    const amount = unpricedTokens === 604 ? '604' : '2,200';
    expect(showHead(play)).toContain(` + ${amount} tokens without a price`);
  });
});

it('a chain whose models all have a price, or none, has its figures as they are', () => {
  const priced = playMixed(somePrice, somePrice);
  expect(priced.result.unpricedTokens).toBeUndefined();
  const free = playMixed(null, null);
  expect(free.result).toMatchObject({ costUsd: null, unpricedTokens: 2_804 });
  for (const play of [priced, free]) expect(showHead(play)).not.toContain('without a price');
});

it('a whole reservation of a model without a price counts too', () => {
  const play = prepared(agentOf({ model: { price: null }, limits: { costUsd: null } }));
  const { inputTokens, outputTokens } = play.modelCall.reservation;
  play.failed(modelFailure('cut', { settle: 'reservation' }));
  expect(play.state).toMatchObject({ charged: { usd: null }, unpricedTokens: inputTokens + outputTokens });
});

it('the tokens of sub-chains count in the totals of their parent', () => {
  const play = delegated(delegatingAgent(), [ask()]);
  reported(play, 'chain-1/1.1', { charged: charged({ tokens: 2_200, usd: 0.006, unpricedTokens: 700 }) });
  play.replied(answers('Done.'));
  expect(play.result.subtree).toMatchObject({ chains: 1, costUsd: 0.006, unpricedTokens: 700 });
  expect(play.result.unpricedTokens).toBeUndefined();
  const all = sumSpending([
    { chains: 1, tokens: 1_000, costUsd: null, unpricedTokens: 1_000 },
    { chains: 2, tokens: 700, costUsd: 0.02, unpricedTokens: 204 },
  ]);
  expect(formatChainSpending(all)).toBe('$0.02 + 1,204 tokens without a price');
});
