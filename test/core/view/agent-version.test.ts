/** The version of an agent is recorded by its chain, and shown wherever the chain is. */

import { expect, it } from 'vitest';
import { toChainListItem } from '../../../src/core/record/chain-list-item.js';
import { buildReasoning, emptyReasoningContext } from '../../../src/core/view/build-reasoning.js';
import { formatAboutLines } from '../../../src/core/view/print/head-lines.js';
import { formatMarkdownReport } from '../../../src/core/view/print/report.js';
import { createViewer, view } from '../../../src/entries/view.js';
import { draftsOf } from '../../support/audit.js';
import { agentOf, answers } from '../../support/core-builders.js';
import { lineage } from '../../support/core-delegation.js';
import { type Play, prepared, started } from '../../support/core-play.js';
import { reasoningWith } from '../../support/some-reasoning.js';

const play = (version: string | null) => {
  const chain = prepared(agentOf({ version }));
  chain.replied(answers('Done.'));
  return chain;
};
const toView = ({ chain }: Play) => view(buildReasoning(chain, emptyReasoningContext), createViewer('end_user'));

it('is in the result, the view, the list, the audit log and the texts of a chain', () => {
  const versioned = play('1.4.0');
  const { chain, result } = versioned;
  expect(result.agentVersion).toBe('1.4.0');
  expect(toChainListItem({ chainId: 'chain-1', chain, closed: null, closedAt: null })?.agentVersion).toBe('1.4.0');
  const [entry] = draftsOf(versioned).filter(({ type }) => type === 'agent_prepared');
  expect(entry).toMatchObject({ what: { version: '1.4.0' } });
  const seen = toView(versioned);
  expect(seen.agentVersion).toBe('1.4.0');
  expect(JSON.stringify(formatAboutLines(seen))).toContain('version 1.4.0');
  expect(formatMarkdownReport(seen)).toContain('`clerk@1.4.0`');
});

it('is nowhere without a version, and before the agent is prepared', () => {
  for (const chain of [play(null), started()]) {
    expect(toView(chain).agentVersion).toBeNull();
    expect(JSON.stringify(formatAboutLines(toView(chain)))).not.toContain('version');
  }
  expect(play(null).result).not.toHaveProperty('agentVersion');
});

it('is hidden with the name of a sub-chain whose path is hidden (L8)', () => {
  const { path } = lineage();
  const ancestry = {
    place: '1.1/',
    calls: [{ chainId: 'root', agent: 'boss', place: '', call: '1.1', tool: 'ask', view: { childChain: 'hidden' } }],
    sensitive: [],
  } as const;
  const below = reasoningWith([], {
    agentVersion: '1.4.0',
    path: [...path.map(({ chainId }) => chainId), 'c'],
    ancestry,
  });
  expect(view(below, createViewer('end_user'))).toMatchObject({ pathLevel: 'hidden', agent: '', agentVersion: null });
});
