/** Visibility rules from a file are rejected if they would have no effect. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateVisibility } from '../../../src/core/view/validate-visibility.js';
import { calculator, csvQuery, jsonQuery } from '../../../src/entries/tools.js';
import { someConfig } from '../../support/some-viewer.js';

it('every kind of rule is accepted', () => {
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

it.each([calculator(), csvQuery(), jsonQuery(), csvQuery({ root: '.' })])(
  'the kind of the tool $snapshot.name is known',
  ({ snapshot }) => {
    const { kind } = snapshot;
    const required = [{ atMost: 'hidden', toolKind: kind }];
    expect(validateVisibility({ toolKinds: { [kind]: { level: 'summary' } }, required })).toBeNull();
  },
);

describe('rules are rejected', () => {
  it.each<[unknown, string]>([
    [null, 'it must be an object'],
    [[], 'it must be an object'],
    [{ by_role: {} }, 'by_role is unknown; expected default, deployment, roles,'],
    [{ constructor: {} }, 'constructor is unknown'],
    [{ default: 'none' }, 'default must be full, summary or hidden'],
    [{ deployment: { thoughts: 'full' } }, 'deployment.thoughts is unknown; expected thinking,'],
    [{ roles: { support: 'all' } }, 'roles.support must be full, summary or hidden'],
    [{ roles: 'full' }, 'roles must be an object'],
    [{ toolKinds: { database: { default: 'summary' } } }, 'toolKinds.database.default is unknown; expected level,'],
    [{ tools: { a: { summary: '{a' } } }, 'tools.a.summary has an unmatched brace'],
    [{ tools: { a: { sensitive: 'a' } } }, 'tools.a.sensitive must be a list'],
    [{ tools: { a: { redact: { kinds: ['card'] } } } }, 'tools.a.redact.kinds is unknown; expected keys, patterns'],
    [{ required: [{ tool: 'a' }] }, 'required.0 has no `atMost`'],
    [{ required: [{ atMost: 'hidden', tool: '' }] }, 'required.0.tool must be a text that is not empty'],
    [{ required: [{ atMost: 'full' }] }, 'required.0.atMost must be summary or hidden'],
    [{ required: [{ atMost: 'hidden', tenat: 'bank' }] }, 'required.0.tenat is unknown'],
    [{ redact: { kinds: ['cards'] } }, 'redact.kinds.0 must be private-key,'],
    [
      { tenants: { bank: { patterns: [{ kind: 'a', source: '(' }] } } },
      'tenants.bank: The pattern of kind "a" is not a regular',
    ],
    [{ tenants: { bank: { paths: [7] } } }, 'tenants.bank.paths.0 must be a text'],
    [
      { redact: { paths: ['user.ssn', 'rows[*.note'] } },
      'redact.paths.1 is not a valid path; expected the form `user.ssn` or `rows[*].note`, or a list of names, `["rows", "*", "note"]`',
    ],
    [{ redact: { paths: ['a..b'] } }, 'redact.paths.0 is not a valid path'],
    [{ tenants: { bank: { paths: ['user.'] } } }, 'tenants.bank.paths.0 is not a valid path'],
    [{ redact: { paths: [[]] } }, 'redact.paths.0 is an empty list; expected the names that lead to the field'],
    [{ redact: { paths: [['a', '']] } }, 'redact.paths.0.1 must be a text'],
    [
      { tools: { a: { sensitive: ['rows[x].note'] } } },
      'tools.a.sensitive.0 is not a valid path; expected the form `user.ssn`',
    ],
  ])('%j', (value, problem) => {
    expect(validateVisibility(value)).toContain(problem);
  });

  it('or accepted, without an exception', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void validateVisibility(value)));
  });
});
