/** The inbox as lines: untrusted text does not control the terminal, and no line is wider than it. */

import { expect, it } from 'vitest';
import { formatInbox, toInboxJson } from '../../../src/cli/approvals/format-inbox.js';
import { formatFullRequest } from '../../../src/cli/approvals/format-request.js';
import { getColors } from '../../../src/cli/terminal/colors.js';
import { measureColumns } from '../../../src/cli/terminal/text.js';
import type { WaitingChainView } from '../../../src/client/list/inbox-view.js';
import type { RequestView } from '../../../src/core/view/request-view.js';
import type { OpenRequest } from '../../../src/entries/client.js';

const now = Date.parse('2026-11-21T12:00:00Z');
const hour = 3_600_000;

const push: OpenRequest = {
  call: '3.1',
  kind: 'approval',
  tool: 'git_push',
  input: { branch: 'main' },
  digest: 'd1',
  risk: 'high',
  reason: 'Others get what is pushed.',
  roles: ['release'],
  byRequester: true,
  approvers: 2,
  votes: [{ by: 'ann', roles: [], always: false }],
  askedAt: now - 12 * 60_000,
  expiresAt: now + 72 * hour,
  onExpiry: 'deny',
  escalates: { at: now + 3 * hour, roles: ['lead'] },
};

function createRequestView(request: OpenRequest, changes: Partial<RequestView> = {}): RequestView {
  return {
    request,
    level: 'full',
    tool: request.tool,
    input: request.input,
    reason: request.reason,
    excludedUser: null,
    ...changes,
  };
}

function chain(given: Partial<WaitingChainView> = {}): WaitingChainView {
  return {
    chainId: 'deployer-3f2a',
    path: ['deployer-3f2a'],
    agent: 'deployer',
    task: 'Release version 12',
    tenant: 'acme',
    user: null,
    startedAt: now - hour,
    steps: 3,
    tokens: 1_200,
    costUsd: 0.04,
    timeLeftMs: 300_000,
    paused: null,
    held: null,
    requests: [createRequestView(push)],
    ...given,
  };
}

const inbox = (chains: readonly WaitingChainView[], width = 100) =>
  formatInbox({ chains, others: 0 }, { color: false, width }, now);

it('shows the chain, the call, the reason, the roles and the time left', () => {
  expect(inbox([chain()])).toMatchInlineSnapshot(`
    "deployer-3f2a  Release version 12
      deployer · 3 steps · $0.04 · for acme · waits 12m
      3.1   approval  git_push branch="main"
            Others get what is pushed.
            high risk · for release · in 3 hours also for lead · 1 of 2 have approved: ann · 3 days left
            longhand approve deployer-3f2a 3.1 --role release
    "
  `);
});

it('shows a question with its options, and a pause with its person', () => {
  const question: OpenRequest = {
    ...push,
    call: '3.2',
    kind: 'question',
    tool: 'ask_user',
    input: { question: 'Which region?', options: ['eu-1', 'us-2'] },
    roles: [],
    approvers: 1,
    escalates: null,
    expiresAt: null,
  };
  const paused = { by: 'ann', at: now - hour, text: 'Paused by ann: look first.', question: null };
  expect(inbox([chain({ requests: [createRequestView(question)], paused })])).toMatchInlineSnapshot(`
    "deployer-3f2a  Release version 12
      deployer · 3 steps · $0.04 · for acme · waits 1h
      3.2   question  Which region?
            · eu-1
            · us-2
            no end
            longhand answer deployer-3f2a 3.2 "…"
      ⏸     Paused by ann: look first · 1h ago
    "
  `);
});

it('shows the question of a chain at a limit in full, with the commands that answer it', () => {
  const text =
    'Cost budget ($1.00) reached: $0.94 spent, and the next call could cost $0.12. Continue with $0.50 more, or stop.';
  const question = {
    code: 'cost_budget',
    text: 'Continue with $0.50 more',
    raise: { costUsd: 1.5 },
    expiresAt: Date.UTC(2026, 11, 6, 12, 0),
  } as const;
  const paused = { by: null, at: now - hour, text, question };
  expect(inbox([chain({ requests: [], paused })], 80)).toMatchInlineSnapshot(`
    "deployer-3f2a  Release version 12
      deployer · 3 steps · $0.04 · for acme · waits 1h
      ?     Cost budget ($1.00) reached: $0.94 spent, and the next call could cost
            $0.12. Continue with $0.50 more, or stop.
            until 2026-12-06 12:00 UTC, then it ends · 1h ago
            longhand limit deployer-3f2a cost=1.5
            longhand cancel deployer-3f2a
    "
  `);
  const budget = { ...question, code: 'budget', text: 'Try the call again', raise: null, expiresAt: null } as const;
  expect(inbox([chain({ requests: [], paused: { ...paused, question: budget } })])).toContain(
    'no end · 1h ago\n        longhand resume deployer-3f2a\n        longhand cancel deployer-3f2a\n',
  );
  expect(toInboxJson({ chains: [chain({ paused })], others: 0 }).chains[0]?.paused).toMatchObject({
    question: { code: 'cost_budget', raise: { costUsd: 1.5 }, expiresAt: '2026-12-06T12:00:00.000Z' },
  });
});

it('shows a pause in one line, and the time left in seconds', () => {
  const paused = { by: 'ann', at: now - hour, text: `Paused by ann: ${'look first '.repeat(9)}.`, question: null };
  const chains = [chain({ requests: [createRequestView({ ...push, expiresAt: now + 988 })], paused })];
  const textAt = (at: number) => formatInbox({ chains, others: 0 }, { color: false, width: 60 }, at);
  const text = textAt(now);
  expect(text).toContain(' · 1 s left');
  expect(textAt(now + 988)).toContain(' · no time left');
  const line = text.split('\n').find((each) => each.includes('⏸')) ?? '';
  expect(line).toMatch(/… · 1h ago$/);
  expect(line.length).toBeLessThanOrEqual(60);
});

it('reports an empty inbox, and the number of omitted chains', () => {
  expect(inbox([])).toBe('Nothing waits for a person.\n');
  expect(formatInbox({ chains: [chain()], others: 2 }, { color: false, width: 100 }, now)).toContain(
    '\n2 more chains wait: --limit 3 shows all.\n',
  );
});

it('shows the number of masked values, and the command that shows them', () => {
  const request = { ...push, input: { to: 'a@b.example', note: '[redacted:email]' } };
  const masked = createRequestView(request, { input: { to: '[redacted:email#2]', note: '[redacted:email]' } });
  const line = '1 value is masked: longhand inbox --as auditor shows all values';
  expect(inbox([chain({ requests: [masked] })])).toContain(`\n        ${line}\n`);
  expect(formatFullRequest(masked, { c: getColors({ color: false }), width: 80, now })).toContain(`\n${line}`);
  expect(inbox([chain({ requests: [createRequestView(request)] })])).not.toContain('masked');
});

it('shows the excluded user, and the command that shows cut arguments in full', () => {
  const input = { script: 'echo '.repeat(40) };
  const text = inbox([chain({ requests: [createRequestView({ ...push, input }, { input, excludedUser: 'tom' })] })]);
  expect(text).toContain(' · not by tom · ');
  expect(text).toContain('\n        longhand chain show deployer-3f2a --step 3\n');
});

it('shows only the call id and kind of a hidden request', () => {
  const hidden = createRequestView(push, { level: 'hidden', tool: null, input: null, reason: null });
  const text = inbox([chain({ requests: [hidden] })]);
  expect(text).toContain('3.1   approval  not shown to this role');
  expect(text).not.toContain('git_push');
  expect(text).not.toContain('main');
});

it('keeps untrusted text within the terminal and without control characters', () => {
  const bad = '\u001b[31mred\u001b[0m\r\n\u202eevil '.repeat(20);
  const hostile = createRequestView(
    { ...push, roles: [bad] },
    { tool: bad, input: { [bad]: bad, b: [bad] }, reason: bad },
  );
  const given = chain({
    chainId: 'x',
    task: bad,
    requests: [hostile],
    paused: { by: bad, at: now, text: bad, question: null },
  });
  const full = formatFullRequest(hostile, { c: getColors({ color: false }), width: 60, now });
  for (const text of [inbox([given], 60), full]) {
    expect(text).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
    for (const line of text.split('\n')) expect(measureColumns(line)).toBeLessThanOrEqual(72);
  }
});

it('shows each argument on separate lines before a decision, and the number of cut lines', () => {
  const input = { script: Array.from({ length: 40 }, (_, line) => `echo ${line}`).join('\n'), n: 3 };
  const full = formatFullRequest(createRequestView({ ...push, input }, { input }), {
    c: getColors({ color: false }),
    width: 60,
    now,
  });
  expect(full).toContain('script  echo 0\n');
  expect(full).toContain('… 28 more lines');
  expect(full).toMatch(/^ {2}n {7}3$/m);
});

it('shows what holds a chain, the fix, the attempts, when the chain ends, and the command', () => {
  const held: WaitingChainView['held'] = {
    by: 'provider',
    at: now - 20 * 60_000,
    failure: 'authentication',
    attempts: 5,
    nextAt: now + 298_000,
    endsAt: now + 7 * 86_400_000 - 20 * 60_000,
    text: 'Held by the provider: invalid x-api-key. Set ANTHROPIC_API_KEY to a valid key. The call is made again every 5 min.',
  };
  expect(inbox([chain({ requests: [], held })], 70)).toMatchInlineSnapshot(`
    "deployer-3f2a  Release version 12
      deployer · 3 steps · $0.04 · for acme · waits 20m
      ⏸     Held by the provider: invalid x-api-key. Set ANTHROPIC_API_KEY
            to a valid key. The call is made again every 5 min.
            5 failed attempts in 20m · next attempt in 5m · ends as failure in 7d
            longhand resume deployer-3f2a
    "
  `);
});

it('has stable JSON members, with times in ISO 8601', () => {
  const { chains, ...rest } = toInboxJson({ chains: [chain()], others: 2 });
  expect(rest).toEqual({ more: true, others: 2 });
  expect(Object.keys(chains[0] ?? {})).toEqual(
    'chainId path agent task tenant user startedAt steps tokens costUsd timeLeftMs paused held requests'.split(' '),
  );
  expect(chains[0]?.requests[0]).toEqual({
    call: '3.1',
    kind: 'approval',
    level: 'full',
    tool: 'git_push',
    input: { branch: 'main' },
    reason: 'Others get what is pushed.',
    digest: 'd1',
    risk: 'high',
    roles: ['release'],
    byRequester: true,
    approvers: 2,
    votes: [{ by: 'ann', roles: [], always: false }],
    askedAt: '2026-11-21T11:48:00.000Z',
    expiresAt: '2026-11-24T12:00:00.000Z',
    onExpiry: 'deny',
    escalates: { at: '2026-11-21T15:00:00.000Z', roles: ['lead'] },
  });
});

it('an edit is a diff to approve: with indentation, nothing of a line cut, and invisible characters shown', () => {
  const input = {
    path: 'a.ts',
    old: 'if (a)\n  b();\n',
    new: `if (a)\n    b(${'x'.repeat(60)});\r\n\u202e\u001b[2J\n`,
  };
  const block = { as: 'edit', place: 'path', before: 'old', after: 'new' } as const;
  const seen = createRequestView({ ...push, tool: 'file_edit', input }, { block });
  const c = getColors({ color: false });
  const text = formatFullRequest(seen, { c, width: 50, now });
  expect(text.split('\n').slice(0, 7)).toEqual([
    'file_edit',
    '  path  a.ts',
    '   if (a)',
    '  -  b();',
    `  +    b(${'x'.repeat(41)}`,
    `   ${'x'.repeat(19)});\\r`,
    expect.stringMatching(/^ {2}\+\S*202e/i),
  ]);
  for (const line of text.split('\n')) expect(measureColumns(line)).toBeLessThanOrEqual(50);
  const short = { path: 'a.ts', old: 'x=1', new: 'x=2; steal()' };
  expect(
    inbox([chain({ requests: [createRequestView({ ...push, tool: 'file_edit', input: short }, { block })] })]),
  ).toContain('file_edit path="a.ts" old="x=1" new="x=2; steal()"\n');
  const long = { ...input, new: 'y\n'.repeat(100) };
  expect(formatFullRequest(createRequestView({ ...push, input: long }, { block }), { c, width: 50, now })).toContain(
    '\n  … 42 more lines\n',
  );
});
