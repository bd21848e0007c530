/** L8: a reader of a sub-chain applies the rules of its path, from its start. */

import { describe, expect, it } from 'vitest';
import type { ChainInput } from '../../../src/core/model/fact.js';
import { isLineage } from '../../../src/core/model/lineage.js';
import { maxSensitiveTexts } from '../../../src/core/redact/value-masker.js';
import { findAncestry, listInheritedSensitiveTexts, markSensitiveSpans } from '../../../src/core/view/ancestry.js';
import { canReadTokens } from '../../../src/core/view/token-filter.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer } from '../../../src/core/view/visibility.js';
import type { Reasoning, SeenTool, Viewer, VisibilityConfig } from '../../../src/entries/view.js';
import type { Json } from '../../../src/index.js';
import { agentOf, someInput, tool } from '../../support/core-builders.js';
import { begunBy, delegated, delegation, lineage } from '../../support/core-delegation.js';
import { call, reasoningWith, result, synthesis, thought } from '../../support/some-reasoning.js';

const secret = 'iban-4711-0815';
const task = `canary-task ${secret}`;

/** The start of `loan/2.1/1.1`. */
function startBelow(known: readonly string[] = [], helper: SeenTool | null = { kind: 'sub_agent' }): ChainInput {
  const by = (id: string, name: string, shown: SeenTool | null) => ({ call: id, tool: name, view: shown ?? {} });
  const path = [
    { chainId: 'loan', agent: 'clerk', by: by('2.1', 'kid', { kind: 'sub_agent' }) },
    { chainId: 'loan/2.1', agent: 'kid', by: by('1.1', 'helper', helper) },
  ];
  return markSensitiveSpans({ ...someInput, task, lineage: lineage({ path, call: '1.1' }) }, known);
}

function below(input: ChainInput): Reasoning {
  const descent = findAncestry({ chainId: 'loan/2.1/1.1', input });
  if (descent === null) throw new Error('Expected a sub-chain.');
  const steps = [
    thought(2, `canary-thought ${secret}`),
    call('2.1', 'weather', { city: `canary-arg ${secret}` }),
    result('2.1', 'weather', `canary-result ${secret}`, { artifacts: [artifact] }),
    synthesis(3, `canary-answer ${secret}`),
  ];
  return reasoningWith(steps, {
    ...{ chainId: 'loan/2.1/1.1', agent: 'helper', task, ancestry: descent },
    answer: `canary-answer ${secret}`,
    tools: { weather: {} },
  });
}
const artifact = { name: `made-${secret}`, mediaType: 'text/plain', digest: 'd', bytes: 1 };

const show = (chain: Reasoning, rules: VisibilityConfig = {}, viewer: Viewer = createViewer('developer')) =>
  JSON.stringify(view(chain, viewer, rules));

describe('a nested sub-chain that is read by its own id', () => {
  it.each<[string, VisibilityConfig]>([
    ['the root', { required: [{ atMost: 'hidden', tool: 'kid' }] }],
    ['its parent', { tools: { helper: { level: 'hidden' } } }],
    ['its parent in one line', { tools: { helper: { childChain: 'summary' } } }],
    ['a marked step of the root', { steps: { '2.1': 'hidden' } }],
    ['a marked step of its parent', { steps: { '2.1/1.1': 'hidden' } }],
  ])('shows nothing that %s hides', (_, rules) => {
    const shown = show(below(startBelow()), rules);
    expect(shown).not.toMatch(/canary-(thought|arg|result|answer)|iban-4711.*made/);
    expect(show(below(startBelow()), rules, createViewer('auditor'))).toContain('canary-thought');
  });

  it('is expanded by the ids of the calls above and not by a step of the same number', () => {
    const rules = { tools: { kid: { level: 'hidden' } } } as const;
    const open = (...expanded: readonly string[]) =>
      show(below(startBelow()), rules, createViewer('developer', { expanded }));
    expect(open('2.1', '1.1', 'all')).not.toContain('canary');
    expect(open('loan/2.1', 'loan/2.1r')).toContain('canary-thought');
    const required = { required: [{ atMost: 'hidden', tool: 'kid' }] } as const;
    expect(show(below(startBelow()), required, createViewer('developer', { expanded: 'all' }))).not.toContain('canary');
  });

  it('has steps that rules name by their place in the tree', () => {
    expect(show(below(startBelow()), { steps: { '2.1/1.1/2': 'hidden' } })).not.toContain('canary-thought');
    expect(show(below(startBelow()), { steps: { '2.1/2': 'hidden' } })).toContain('canary-thought');
  });
});

describe('a sensitive text of a parent', () => {
  it('is masked in steps, artifacts and tokens of a sub-chain', () => {
    const chain = below(startBelow([secret]));
    const shown = show(chain);
    expect(shown).toContain('canary-thought [redacted:field]');
    expect(shown).toContain('made-[redacted:field]');
    expect(shown).not.toContain(secret);
    expect(show(chain, {}, createViewer('auditor'))).toContain(secret);
    const scene = { viewer: createViewer('developer'), config: {}, path: '' };
    expect(canReadTokens(1, { ...scene, chain })).toBe(false);
    expect(canReadTokens(1, { ...scene, chain: below(startBelow()) })).toBe(true);
  });

  it('is recorded by its place, also in JSON and in a hypothesis', () => {
    const { lineage: plain } = startBelow([secret]);
    expect(plain?.sensitive).toEqual([[12, 26]]);
    expect(JSON.stringify(plain)).not.toContain(secret);
    const quoted = 'write "hello there"';
    const input = { ...startBelow(), task: JSON.stringify({ quoted }) };
    expect(listInheritedSensitiveTexts(markSensitiveSpans(input, [quoted]))).toEqual(['write \\"hello there\\"']);
    const branch = { steps: 1, hypothesis: `try ${secret}` };
    const branched = { ...someInput, task: 'go', lineage: lineage({ branch }) };
    expect(listInheritedSensitiveTexts(markSensitiveSpans(branched, [secret]))).toEqual([secret]);
  });

  it('is the whole task if there are too many sensitive texts', () => {
    const known = Array.from({ length: maxSensitiveTexts }, (_, at) => `secret-${at}`);
    expect(listInheritedSensitiveTexts(startBelow(known))).toEqual([task]);
  });

  it('by rules only reduces each step of a sub-chain to a line without values', () => {
    const rules: VisibilityConfig = { tools: { account: { sensitive: ['iban'] }, weather: { summary: 'Saw {city}' } } };
    expect(show(below(startBelow()), rules)).not.toMatch(/canary|iban-4711/);
    expect(show(below(startBelow()), rules, createViewer('auditor'))).toContain('canary-thought');
  });

  it('by the pattern of a tool is masked in a sub-chain', () => {
    const redact = { patterns: [{ kind: 'account', source: 'iban-\\d{4}-\\d{4}' }] };
    expect(show(below(startBelow()), { tools: { account: { redact } } })).not.toContain(secret);
  });
});

it('the summary of a sub-chain has no answer if a security rule reduces its result to a summary', () => {
  const child = reasoningWith([synthesis(1, 'canary-answer')], { chainId: 'loan/1.1', answer: 'canary-answer' });
  const glance = { chainId: 'loan/1.1', agent: 'kid', task, state: 'completed', outcome: 'success' } as const;
  const parent = reasoningWith([call('1.1', 'ask', { task }), result('1.1', 'ask', 'canary-answer')], {
    children: { '1.1': [{ ...glance, steps: 1, own: null, total: null, chain: child }] },
    tools: { ask: { kind: 'sub_agent' } },
  });
  const lineWith = (rules: VisibilityConfig) => view(parent, createViewer('developer'), rules).children['1.1']?.[0];
  expect(lineWith({ tools: { ask: { childChain: 'summary' } } })).toMatchObject({ answer: 'canary-answer' });
  expect(lineWith({ required: [{ atMost: 'summary', tool: 'ask' }] })).toMatchObject({
    level: 'summary',
    answer: null,
  });
});

describe('a lineage', () => {
  it('contains the call and the view of its tool', () => {
    const shown = { kind: 'sub_agent', childChain: 'hidden' } as const;
    const agent = agentOf({
      tools: [tool('ask', { delegates: delegation(), view: shown })],
      limits: { depth: 5, chains: 20 },
    });
    const [start] = begunBy(delegated(agent).actions);
    expect(start?.input.lineage?.path).toEqual([
      { chainId: 'chain-1', agent: agent.name, by: { call: '1.1', tool: 'ask', view: shown } },
    ]);
  });

  it.each<[Json]>([
    [{ sensitive: [[0]] }],
    [{ sensitive: null }],
    [{ sensitive: 'all' }],
    [{ path: [{ chainId: 'a', agent: 'b' }] }],
    [{ path: [{ chainId: 'a', agent: 'b', by: { call: '1.1', tool: 'c' } }] }],
    [{ sensitive: [[-1, 2]] }],
    [{ path: [{ chainId: 'a', agent: 'b', by: { call: 1, tool: 'c' } }] }],
    [{ path: [{ chainId: 'a', agent: 'b', by: { call: '1.1', tool: 'c', view: 'full' } }] }],
  ])('is rejected if it is invalid: %j', (more) => {
    const written = { ...(lineage() as unknown as object), ...(more as object) } as Json;
    expect(isLineage(written)).toBe(false);
    expect(listInheritedSensitiveTexts({ task, lineage: written })).toEqual([]);
  });
});
