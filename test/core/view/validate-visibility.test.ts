/** Rules that come from a file are refused where nobody would keep them. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateVisibility } from '../../../src/core/view/validate-visibility.js';
import { someConfig } from '../../support/some-viewer.js';

it('takes all rules that there are', () => {
  fc.assert(
    fc.property(someConfig, (config) => {
      expect(validateVisibility(config)).toBeNull();
    }),
  );
  const redact = {
    kinds: ['card'],
    keys: ['pin'],
    paths: ['a.b', '$.a', '*', 'rows[*].note', 'rows[0]', ['a', '*'], ['a.b']],
    patterns: [{ kind: 'ticket', source: 'T-\\d+' }],
  };
  const { keys, patterns } = redact;
  const rule = { level: 'summary', summary: '{a}', sensitive: ['a'], childChain: 'hidden', redact: { keys, patterns } };
  expect(
    validateVisibility({
      redact,
      tenants: { bank: redact },
      tools: { a: rule },
      toolKinds: { b: rule },
      kinds: ['b'],
    }),
  ).toBeNull();
});

describe('refuses', () => {
  it.each<[unknown, string]>([
    [null, 'it must be an object'],
    [[], 'it must be an object'],
    [{ by_role: {} }, 'by_role means nothing; there are default, deployment, roles,'],
    [{ constructor: {} }, 'constructor means nothing'],
    [{ default: 'none' }, 'default must be full, summary or hidden'],
    [{ deployment: { thoughts: 'full' } }, 'deployment.thoughts means nothing; there are thinking,'],
    [{ roles: { support: 'all' } }, 'roles.support must be full, summary or hidden'],
    [{ roles: 'full' }, 'roles must be an object'],
    [{ toolKinds: { database: { default: 'summary' } } }, 'toolKinds.database.default means nothing; there are level,'],
    [{ tools: { a: { summary: '{a' } } }, 'tools.a.summary has a brace without its other half'],
    [{ tools: { a: { sensitive: 'a' } } }, 'tools.a.sensitive must be a list'],
    [{ tools: { a: { redact: { kinds: ['card'] } } } }, 'tools.a.redact.kinds means nothing; there are keys, patterns'],
    [{ required: [{ tool: 'a' }] }, 'required.0 says no `atMost`'],
    [{ required: [{ atMost: 'full' }] }, 'required.0.atMost must be summary or hidden'],
    [{ required: [{ atMost: 'hidden', tenat: 'bank' }] }, 'required.0.tenat means nothing'],
    [{ redact: { kinds: ['cards'] } }, 'redact.kinds.0 must be private-key,'],
    [
      { tenants: { bank: { patterns: [{ kind: 'a', source: '(' }] } } },
      'tenants.bank: The pattern of the kind "a" is no regular',
    ],
    [{ tenants: { bank: { paths: [7] } } }, 'tenants.bank.paths.0 must be a text'],
    [
      { redact: { paths: ['user.ssn', 'rows[*.note'] } },
      'redact.paths.1 cannot be read: write it like `user.ssn` or `rows[*].note`, or as a list of names, `["rows", "*", "note"]`',
    ],
    [{ redact: { paths: ['a..b'] } }, 'redact.paths.0 cannot be read'],
    [{ tenants: { bank: { paths: ['user.'] } } }, 'tenants.bank.paths.0 cannot be read'],
    [{ redact: { paths: [[]] } }, 'redact.paths.0 is an empty list: write the names that lead to the field'],
    [{ redact: { paths: [['a', '']] } }, 'redact.paths.0.1 must be a text'],
    [{ tools: { a: { sensitive: ['rows[x].note'] } } }, 'tools.a.sensitive.0 cannot be read: write it like `user.ssn`'],
  ])('%j', (value, problem) => {
    expect(validateVisibility(value)).toContain(problem);
  });

  it('or takes, and never throws', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void validateVisibility(value)));
  });
});
