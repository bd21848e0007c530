/** The prompt of the last call, which sums up the findings of a chain that a limit ends. */

import { describe, expect, it } from 'vitest';
import type { AgentSnapshot, StrategyOptions } from '../../../src/core/model/agent.js';
import type { ModelRequest } from '../../../src/core/model/model.js';
import { renderRequest } from '../../../src/core/strategies/strategies.js';
import {
  autonomousDefaults,
  planDefaults,
  reactDefaults,
  toolsDefaults,
} from '../../../src/core/strategies/strategy.js';
import { findConversationFault } from '../../support/conversation-rules.js';
import { agentOf, asks, look, modelFailure, usage } from '../../support/core-builders.js';
import { type Play, prepared } from '../../support/core-play.js';

const prompt =
  'You cannot continue. Summarize in a few sentences of plain text what you have found so far and what is still missing. Do not call a tool.';

/** Takes a step whose observation is the finding. */
function takeStep(agent: AgentSnapshot): Play {
  const play = prepared(agent);
  play.replied({ ...asks(look({ at: 1 })), usage: usage(5_000, 50) });
  play.returned('1.1', 'The sea is calm.');
  return play;
}

function renderLast(play: Play, agent: AgentSnapshot): ModelRequest {
  expect(play.modelCall.purpose).toBe('closing');
  return renderRequest(play.chain, agent, play.modelCall.purpose);
}

function readLastText({ messages }: ModelRequest): string {
  const block = messages.at(-1)?.content.at(-1);
  return block?.type === 'text' ? block.text : '';
}

describe('the request of the last call', () => {
  it.each<[StrategyOptions]>([[toolsDefaults], [reactDefaults], [autonomousDefaults], [planDefaults]])(
    'ends with the reason and the prompt, and permits no call, with the strategy $name',
    (strategy) => {
      const agent = agentOf({ strategy, limits: { steps: 1 } });
      const play = takeStep(agent);
      const request = renderLast(play, agent);
      expect(readLastText(request)).toMatch(/^Max steps \(1\) reached\. .*You cannot continue\./);
      expect(readLastText(request).endsWith(prompt)).toBe(true);
      expect(request).toMatchObject({ toolChoice: 'none', stopSequences: [] });
      expect(JSON.stringify(request.messages)).toContain('The sea is calm.');
      expect(findConversationFault(request.messages as never)).toBeNull();
      const usual = renderRequest(play.chain, agent, 'step');
      expect([request.system, request.tools]).toEqual([usual.system, usual.tools]);
    },
  );

  it.each([
    ['steps', { limits: { steps: 1 } }, 'Max steps (1) reached.'],
    ['tokens', { limits: { tokens: 15_000 } }, 'Token budget (15,000) reached:'],
    ['cost', { limits: { costUsd: 0.045 } }, 'Cost budget ($0.045) reached:'],
    ['time', { limits: { timeMs: 60_000 } }, 'Time limit (1 min) reached during a model call.'],
  ])('names the limit of %s that ends the chain', (limit, definition, reason) => {
    const agent = agentOf(definition);
    const play = takeStep(agent);
    if (limit === 'time') {
      play.fired('deadline');
      play.failed(modelFailure('cancelled'));
    }
    expect(readLastText(renderLast(play, agent)).startsWith(reason)).toBe(true);
  });
});
