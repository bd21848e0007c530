/** Visibility rules as YAML and as JSON. */

import { expect, it } from 'vitest';
import { parseVisibility } from '../../src/entries/worker.js';
import { matchError } from '../support/match-error.js';

const yaml = `
default: full
toolKinds:
  database:
    level: summary
    summary: "Queried {table}, returned {rowCount} rows"
  skill: { level: hidden } # internal
roles:
  end_user: { thinking: summary }
`;

it('visibility rules may be YAML or JSON', () => {
  const rules = {
    default: 'full',
    toolKinds: {
      database: { level: 'summary', summary: 'Queried {table}, returned {rowCount} rows' },
      skill: { level: 'hidden' },
    },
    roles: { end_user: { thinking: 'summary' } },
  };
  expect(parseVisibility(yaml)).toEqual(rules);
  expect(parseVisibility(JSON.stringify(rules))).toEqual(rules);
});

it.each([
  ['roles: {', 'expected YAML or JSON (Flow map'],
  ['default: none', 'default must be full, summary or hidden'],
  ['- full', 'Invalid visibility rules'],
  ['a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n', 'Invalid visibility rules'],
])('rejects invalid rules: %j', (text, problem) => {
  expect(() => parseVisibility(text)).toThrow(matchError('invalid_policy', problem));
});
