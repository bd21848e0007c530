/** L8: who sees the prompt of a model call, and how it is masked. */

import { describe, expect, it } from 'vitest';
import type { SentPrompt } from '../../../src/core/model/prompt.js';
import { viewPrompt } from '../../../src/core/view/view-prompt.js';
import { createViewer, type VisibilityConfig } from '../../../src/core/view/visibility.js';
import type { SeenTool } from '../../../src/entries/view.js';
import type { Json } from '../../../src/index.js';
import { matchError } from '../../support/match-error.js';
import { call, reasoningWith, result, thought } from '../../support/some-reasoning.js';

const developer = createViewer('developer');
const digests = { sent: 'a'.repeat(64), rebuilt: 'a'.repeat(64) };

/** The second prompt of a chain that looked up a customer. */
function promptWith(found: Json, more: Partial<SentPrompt> = {}): SentPrompt {
  return {
    kind: 'sent',
    chainId: 'chain-1',
    call: 'model-2',
    purpose: 'step',
    step: 2,
    provider: 'some-provider',
    model: 'some-model',
    maxTokens: 1_000,
    request: {
      system: 'You are a clerk. Write to clerk@example.com.',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Look up ann.' }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'use_1', name: 'query', input: { name: 'ann' } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'use_1', content: JSON.stringify(found) }] },
      ],
      tools: [],
      toolChoice: 'auto',
      stopSequences: [],
    },
    proof: 'proven',
    digests,
    failure: null,
    ...more,
  };
}

function reasoningOf(found: Json, view: SeenTool = { kind: 'database', sensitive: ['ssn'] }) {
  const steps = [thought(1, 'I look.'), call('1.1', 'query', { name: 'ann' }), result('1.1', 'query', found)];
  return reasoningWith(steps, { tools: { query: view } });
}

const found = { ssn: '123-45-6789-0', city: 'Paris' };
const see = (role: string, config: VisibilityConfig = {}, value: Json = found) =>
  viewPrompt(reasoningOf(value), promptWith(value), createViewer(role), config);

describe('the view of a prompt', () => {
  it('is the original for an auditor, with its digests', () => {
    expect(see('auditor')).toEqual(promptWith(found));
  });

  it('is masked for a developer like the steps, without digests that would confirm guesses', () => {
    const seen = see('developer');
    const text = JSON.stringify(seen);
    expect(text).not.toContain('123-45-6789-0');
    expect(text).not.toContain('clerk@example.com');
    expect(text).toContain('Paris');
    expect(seen).toMatchObject({ proof: 'proven', digests: null });
  });

  it('has its digests for a developer for whom nothing is masked', () => {
    const prompt = promptWith('Paris');
    const plain = { ...prompt, request: { ...prompt.request, system: 'You are a clerk.' } };
    expect(viewPrompt(reasoningOf('Paris'), plain, developer)).toEqual(plain);
  });

  it.each(['end_user', 'support'])('is not visible to the role %s', (role) => {
    expect(() => see(role, { roles: { support: 'full' } })).toThrow(matchError('not_visible', role));
  });

  it('is not visible to a developer who does not see a step before it in full', () => {
    const hidden: VisibilityConfig = { required: [{ step: 'tool_result', atMost: 'summary' }] };
    expect(() => see('developer', hidden)).toThrow(matchError('not_visible', '1.1r'));
    const first = promptWith(found, { step: 1 });
    expect(viewPrompt(reasoningOf(found), first, developer, hidden)).toMatchObject({ kind: 'sent' });
    const closing = promptWith(found, { step: 1, purpose: 'closing' });
    expect(() => viewPrompt(reasoningOf(found), closing, developer, hidden)).toThrow(matchError('not_visible'));
  });

  it('is not visible to a developer when a sensitive value is too short to be masked in text', () => {
    expect(() => see('developer', {}, { ssn: 1234 })).toThrow(matchError('not_visible', 'too short'));
    expect(see('auditor', {}, { ssn: 1234 })).toMatchObject({ kind: 'sent' });
  });

  it('is not visible to a viewer of another tenant, an auditor included', () => {
    const reasoning = { ...reasoningOf(found), tenant: 'acme' };
    for (const role of ['developer', 'auditor']) {
      const viewer = createViewer(role, { tenant: 'globex' });
      expect(() => viewPrompt(reasoning, promptWith(found, { step: 1 }), viewer)).toThrow(matchError('not_visible'));
    }
  });
});
