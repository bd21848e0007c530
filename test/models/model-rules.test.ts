/** Rules for models: a denied name denies the model itself. */

import { expect, it } from 'vitest';
import { findRuleProblem } from '../../src/models/model-rules.js';

const call = { tenant: null, roles: [], environment: null };
const named = { local: { provider: 'model-server', id: 'qwen3:8b' } };

const isDenied = (denied: string, name: string, provider: string, id: string): boolean => {
  const model = { name, provider, id, region: null };
  const findNamed = (each: string) => (each === 'local' ? named.local : { provider, id: each });
  return findRuleProblem([{ deny: { models: [denied] } }], call, model, findNamed) !== null;
};

it.each([
  ['an alias', 'local', 'local', 'model-server', 'qwen3:8b', true],
  ['an alias, chosen by its id', 'local', 'model-server/qwen3:8b', 'model-server', 'qwen3:8b', true],
  [
    'an id, chosen with its date',
    'claude-opus-5-5',
    'claude-opus-5-5-20260701',
    'anthropic',
    'claude-opus-5-5-20260701',
    true,
  ],
  ['an alias, of another provider', 'local', 'qwen3:8b', 'groq', 'qwen3:8b', false],
  ['another id', 'claude-opus-5-5', 'claude-opus-5', 'anthropic', 'claude-opus-5', false],
])('a rule denies %s', (_, denied, name, provider, id, expected) => {
  expect(isDenied(denied, name, provider, id)).toBe(expected);
});
