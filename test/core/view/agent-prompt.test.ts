/** The prompt of an agent is in the chain's snapshot once, and shown wherever the chain is. */

import { expect, it } from 'vitest';
import { toChainListItem } from '../../../src/core/record/chain-list-item.js';
import { buildReasoning, emptyReasoningContext } from '../../../src/core/view/build-reasoning.js';
import { formatAboutLines } from '../../../src/core/view/print/head-lines.js';
import { createViewer, view } from '../../../src/entries/view.js';
import { toChatAttributes } from '../../../src/telemetry/conventions.js';
import type { MeasuredModelCall } from '../../../src/telemetry/telemetry.js';
import { draftsOf } from '../../support/audit.js';
import { agentOf, answers, asks, look } from '../../support/core-builders.js';
import { prepared } from '../../support/core-play.js';
import { reasoningWith } from '../../support/some-reasoning.js';

const prompt = { name: 'meteorologist', version: '3f2a9c81d04e' };

function play(options: Parameters<typeof agentOf>[0]) {
  const chain = prepared(agentOf(options));
  chain.replied(asks(look({ at: 'sky' })));
  chain.returned('1.1', 'blue');
  chain.replied(answers('Done.'));
  return chain;
}

it('is in the facts of a chain once, and in its view, list, audit log, spans and texts', () => {
  const played = play({ prompt });
  const { chain } = played;
  expect(JSON.stringify(played.turns).split(prompt.version)).toHaveLength(2);
  expect(JSON.stringify(chain.steps)).not.toContain(prompt.version);
  const seen = view(buildReasoning(chain, emptyReasoningContext), createViewer('end_user'));
  expect(seen.agentPrompt).toEqual(prompt);
  expect(JSON.stringify(formatAboutLines(seen))).toContain('prompt meteorologist@3f2a9c81d04e');
  expect(toChainListItem({ chainId: 'chain-1', chain, closed: null, closedAt: null })?.prompt).toBe(
    'meteorologist@3f2a9c81d04e',
  );
  const [entry] = draftsOf(played).filter(({ type }) => type === 'agent_prepared');
  expect(entry).toMatchObject({ what: { prompt: 'meteorologist@3f2a9c81d04e' } });
  const call = { modelCall: { model: {}, maxTokens: 1 }, chain } as unknown as MeasuredModelCall;
  expect(toChatAttributes(call)).toMatchObject({
    'gen_ai.prompt.name': 'meteorologist',
    'longhand.prompt.version': '3f2a9c81d04e',
  });
});

it('is nowhere without one, and hidden with the name of a sub-chain whose path is hidden (L8)', () => {
  const { chain } = play({});
  expect(view(buildReasoning(chain, emptyReasoningContext), createViewer('end_user'))).not.toHaveProperty(
    'agentPrompt',
  );
  const ancestry = {
    place: '1.1/',
    calls: [{ chainId: 'root', agent: 'boss', place: '', call: '1.1', tool: 'ask', view: { childChain: 'hidden' } }],
    sensitive: [],
  } as const;
  const below = reasoningWith([], { agentPrompt: prompt, path: ['root', 'c'], ancestry });
  expect(view(below, createViewer('end_user'))).not.toHaveProperty('agentPrompt');
});
