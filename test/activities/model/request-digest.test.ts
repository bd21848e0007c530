/** What is kept of a chain's messages from one request to the next changes neither the request nor what is computed of it. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hashRequest } from '../../../src/activities/model/request-digest.js';
import { toCanonicalJson } from '../../../src/core/lib/json.js';
import type { ModelMessage, ModelRequest } from '../../../src/core/model/model.js';
import { estimateMinUsage } from '../../../src/core/model/usage.js';
import { renderRequest } from '../../../src/core/strategies/strategies.js';
import { autonomousDefaults, planDefaults, toolsDefaults } from '../../../src/core/strategies/strategy.js';
import { computeSha256 } from '../../../src/history/fold.js';
import { budget } from '../../support/budget.js';
import { agentOf } from '../../support/core-builders.js';
import { runWorld, withPromptBytes } from '../../support/core-environment.js';

const computeWhole = (request: ModelRequest) => computeSha256(toCanonicalJson(request));

it('a request is the same as one that is rendered for the first time, and so are its digest and its least usage', () => {
  const agents = fc
    .record({
      strategy: fc.constantFrom(toolsDefaults, autonomousDefaults, planDefaults),
      contextTokens: fc.constantFrom(null, 6_000, 40_000),
    })
    .map(({ strategy, contextTokens }) => {
      const model = { maxTokens: 1_024, contextTokens, compactAt: 0.5 };
      return withPromptBytes(agentOf({ strategy, model, limits: { steps: 12, stallThreshold: 50 } }));
    });
  const script = fc.array(fc.integer({ min: 0, max: 9_999 }), { maxLength: 1_500, size: 'max' });
  let kept = 0;
  fc.assert(
    fc.property(agents, script, (agent, numbers) => {
      const seen = new Set<ModelMessage>();
      for (const { action, chain, request } of runWorld(agent, numbers, { people: true }).calls) {
        const first = renderRequest(structuredClone(chain), agent, action.purpose);
        expect(request).toEqual(first);
        expect(hashRequest(request)).toBe(computeWhole(first));
        expect(estimateMinUsage(request, [])).toEqual(estimateMinUsage(first, []));
        for (const message of request.messages) {
          if (seen.has(message)) kept += 1;
          seen.add(message);
        }
      }
    }),
    { numRuns: budget(30, 250) },
  );
  expect(kept).toBeGreaterThan(50);
});

const user = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] });
const requestOf = (...messages: readonly ModelMessage[]): ModelRequest => ({
  ...{ system: 'Look.', messages, tools: [], toolChoice: 'auto', stopSequences: [] },
});

it.each([
  ['is another', [user('B')]],
  ['is as long and another', [user('B'), user('2'), user('3'), user('4')]],
  ['has another message within', [user('A'), user('2'), user('x'), user('4'), user('5')]],
  ['is shorter', [user('A'), user('2')]],
  ['has no message', []],
  ['has half a character', [user('A'), user('\ud800'), user('3'), user('4')]],
])('the digest of a request that %s is that of the whole request', (_name, messages) => {
  const begun = [user('A'), user('2'), user('3'), user('4')];
  expect(hashRequest(requestOf(...begun))).toBe(computeWhole(requestOf(...begun)));
  const [first = user('A'), ...rest] = messages;
  const next = messages.length === 0 ? [] : [first, ...begun.slice(1, 2), ...rest.slice(1)];
  for (const request of [requestOf(...next), requestOf(...messages), requestOf(...begun, ...messages)])
    expect(hashRequest(request)).toBe(computeWhole(request));
});
