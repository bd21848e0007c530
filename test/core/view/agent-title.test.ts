/** The title of an agent: its name for people, next to its name. */

import { expect, it } from 'vitest';
import { createSnapshot } from '../../../src/agents/snapshot.js';
import { buildReasoning, emptyReasoningContext } from '../../../src/core/view/build-reasoning.js';
import { formatAboutLines } from '../../../src/core/view/print/head-lines.js';
import { formatMarkdownReport } from '../../../src/core/view/print/report.js';
import type { ModelProvider } from '../../../src/entries/models.js';
import { createViewer, view } from '../../../src/entries/view.js';
import { defineAgent } from '../../../src/index.js';
import { loadCatalogue } from '../../../src/models/catalogue/catalogue.js';
import { createModels } from '../../../src/models/models.js';
import { agentOf, answers } from '../../support/core-builders.js';
import { prepared } from '../../support/core-play.js';
import { reasoningWith } from '../../support/some-reasoning.js';

const unused: ModelProvider = { name: 'unused', call: () => Promise.reject(new Error('Unexpected call.')) };

function snapshotOf(title?: string) {
  const agent = defineAgent({ name: 'clerk', model: 'gpt-4.1', ...(title === undefined ? {} : { title }) });
  const models = createModels({ providers: [unused], catalogue: loadCatalogue() });
  const worker = { models, defaultModel: null, modelRetry: {}, onProviderError: 'hold', localCalls: true } as const;
  return createSnapshot(agent, { model: null, limits: {} }, worker);
}

const viewOf = (title?: string) => {
  const chain = prepared(agentOf(title === undefined ? {} : { title }));
  chain.replied(answers('Done.'));
  return view(buildReasoning(chain.chain, emptyReasoningContext), createViewer('end_user'));
};

it('an agent has a display name, which views and texts of its chains show next to its name', () => {
  expect(snapshotOf(' Invoice clerk ')).toMatchObject({ name: 'clerk', title: 'Invoice clerk' });
  const seen = viewOf('Invoice clerk');
  expect(seen).toMatchObject({ agent: 'clerk', agentTitle: 'Invoice clerk' });
  expect(JSON.stringify(formatAboutLines(seen))).toContain('Invoice clerk');
  expect(formatMarkdownReport(seen)).toContain('title: `Invoice clerk`');
});

it('an agent without a display name has none in its snapshot, and the model never sees one', () => {
  expect(snapshotOf()).not.toHaveProperty('title');
  expect(snapshotOf('Invoice clerk').promptBytes).toBe(snapshotOf().promptBytes);
  expect(viewOf()).not.toHaveProperty('agentTitle');
});

it('a display name is hidden with the name of a sub-chain whose path is hidden (L8)', () => {
  const calls = [
    { chainId: 'root', agent: 'boss', place: '', call: '1.1', tool: 'ask', view: { childChain: 'hidden' } },
  ] as const;
  const ancestry = { place: '1.1/', calls, sensitive: [] };
  const below = reasoningWith([], { agentTitle: 'Invoice clerk', path: ['root', 'c'], ancestry });
  expect(view(below, createViewer('end_user'))).not.toHaveProperty('agentTitle');
});

it.each(['', ' ', 'two\nlines'])('a display name is rejected when it is %j', (title) => {
  expect(() => defineAgent({ name: 'clerk', title })).toThrow('title must be a text in one line');
});
