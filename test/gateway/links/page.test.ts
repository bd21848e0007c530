/** Pages of links: no text of a chain becomes markup, and nothing is loaded from elsewhere. */

import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { ReasoningView } from '../../../src/core/view/reasoning-view.js';
import type { RequestView } from '../../../src/core/view/request-view.js';
import { createPage, html } from '../../../src/gateway/links/page.js';
import { createRequestPage } from '../../../src/gateway/links/request-page.js';

const hostile = `</pre><script>alert(1)</script><img src=x onerror="a()">'\`&amp;\u202egnp.exe\u0000`;

const link = {
  ...{ id: 'i', chainId: hostile, call: '1.1', digest: 'd', askedAt: 0, tenant: null, by: hostile, roles: [hostile] },
  ...{ view: 'developer', key: null, expiresAt: 3_600_000 },
};
const seen = {
  request: {
    ...{
      call: '1.1',
      kind: 'approval',
      tool: hostile,
      input: {},
      digest: 'd',
      risk: 'high',
      reason: hostile,
      roles: [],
    },
    ...{ byRequester: true, approvers: 2, votes: [], askedAt: 0, expiresAt: null, onExpiry: 'deny', escalates: null },
  },
  ...{ level: 'full', tool: hostile, reason: hostile, excludedUser: null },
  input: { [hostile]: hostile, list: [hostile], long: 'x'.repeat(10_000) },
} as const satisfies RequestView;
const modelCall = {
  ...({ kind: 'llm', call: 'model-1' } as const),
  ...{ usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, thinking: 0 }, costUsd: null, durationMs: 1 },
  ...{ attempts: 1, model: 'm', provider: 'p' },
};
const viewOf = (agent: string, task: string, thought: string): Pick<ReasoningView, 'agent' | 'task' | 'steps'> => ({
  ...{ agent, task },
  steps: [
    {
      ...{ level: 'full', id: '1', number: 1, at: 0, kind: 'thinking', thought, problem: null, confidence: null },
      ...{ modelCall, redacted: 0 },
    },
    { level: 'hidden', id: '1.1', number: 1, kind: 'tool_call' },
  ],
});

it('escapes every text, and writes out characters that turn a text around', async () => {
  const page = await createRequestPage({ link, view: viewOf(hostile, hostile, hostile), seen, now: 0 }).text();
  expect(page).not.toMatch(/<script|<img|\u202e|onerror="a/);
  expect(page).not.toContain('\u0000');
  expect(page).toContain('&lt;script&gt;');
  expect(page).toContain('\\u{202e}gnp.exe');
  expect(page).toContain('2000 more characters are not shown');
  // Tags of the template alone.
  const tags = new Set(page.match(/<\/?[a-z][a-z\d]*/g)?.map((tag) => tag.replace(/[</]/g, '')));
  expect([...tags].toSorted()).toEqual(
    'body button dd div dl dt form h1 h2 head html label main meta p pre span style textarea title'.split(' '),
  );
});

it('permits its own style and form alone, no frame, no script, no referrer, no index and no cache', async () => {
  const plain = { ...seen, tool: 'pay', reason: 'why', input: { cents: 5 } };
  const response = createRequestPage({
    link: { ...link, chainId: 'pay-1', by: 'ana', roles: [] },
    ...{ view: viewOf('clerk', 'Pay it', 'It is due.'), seen: plain, now: 0 },
  });
  const page = await response.text();
  const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  expect(response.headers.get('content-security-policy')).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  );
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'referrer-policy': 'no-referrer',
    'x-robots-tag': expect.stringContaining('noindex'),
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  expect(page).not.toMatch(/https?:|url\(|@import|style=|href=|src=/);
});

it('shows the start of the task and the thought, and the number of masked values', async () => {
  const show = async (input: RequestView['input'], task = 'Pay the invoice', thought = 'It is due.') =>
    createRequestPage({ link, view: viewOf('clerk', task, thought), seen: { ...seen, input }, now: 0 }).text();
  const page = await show({ to: '[redacted:email]' }, 't'.repeat(600));
  expect(page).toContain(`${'t'.repeat(499)}…`);
  expect(page).not.toContain('t'.repeat(500));
  expect(page).toContain('It is due.');
  expect(page).toContain('1 value is masked for your role.');
  expect(await show({ to: '[redacted:email]', cc: ['[redacted:email]'] })).toContain('2 values are masked');
  const bare = await show({ cents: 5 }, '', '');
  expect(bare).not.toMatch(/masked|>Task<|Why the agent/);
});

it('shows each argument of an edit in full, and no names of other people', async () => {
  const block = { as: 'edit', place: 'path', before: 'old', after: 'new' } as const;
  const input = { path: 'a.ts', old: 'line\n'.repeat(1_500), new: 'steal()' };
  const show = (level: RequestView['level']) =>
    createRequestPage({
      link,
      view: viewOf('clerk', '', ''),
      seen: {
        ...seen,
        ...{ input, block, excludedUser: 'tom@corp.example', level },
        request: { ...seen.request, votes: [{ by: 'ana@corp.example', roles: [], always: false }] },
      },
      now: 0,
    }).text();
  const page = await show('full');
  for (const text of ['<dd><pre>a.ts</pre></dd>', '<dd><pre>steal()</pre></dd>', 'line\nline'])
    expect(page).toContain(text);
  expect(page).toContain('<p class="risk">high risk · 1 of 2 have approved · no end</p>');
  for (const level of ['full', 'summary', 'hidden'] as const) expect(await show(level)).not.toMatch(/ana@|tom@/);
});

it('a template keeps markup, and escapes texts in attributes', async () => {
  const inner = [html`<b>${'<i>'}</b>`, html`<b>2</b>`];
  expect(html`<p title="${'"><script>'}">${inner}${null}${3}</p>`.markup).toBe(
    '<p title="&quot;&gt;&lt;script&gt;"><b>&lt;i&gt;</b><b>2</b>3</p>',
  );
  expect(createPage(404, '<x>', html`a`).status).toBe(404);
});
