/** The tool `wait`: what the model may write, and what the snapshot of its agent has. */

import { expect, it } from 'vitest';
import { defaults } from '../../src/core/model/defaults.js';
import { parseWaitInput } from '../../src/core/model/wait.js';
import { wait } from '../../src/entries/tools.js';
import { matchError } from '../support/match-error.js';

it.each([{ seconds: 1 }, { seconds: 259_200 }, { signal: 'build-done' }, { signal: 'a:b.c_1', seconds: 60 }])(
  'accepts %j, which the chain reads as a wait',
  (input) => {
    expect(wait().validateInput(input)).toBeNull();
    expect(parseWaitInput(input)).not.toBeNull();
  },
);

it.each([
  {},
  { seconds: 0 },
  { seconds: 1.5 },
  { seconds: 1e12 },
  { seconds: '60' },
  { signal: 'two words' },
  { signal: '' },
])('rejects %j with the problem, before the chain waits', (input) => {
  expect(wait().validateInput(input)).toMatch(/seconds|signal/);
});

it('takes the view and the audit level of its author, so that parts of a signal can be sensitive', () => {
  const { snapshot } = wait({ view: { sensitive: ['data.token'], level: 'summary' }, audit: 'basic' });
  expect(snapshot).toMatchObject({
    kind: 'wait',
    view: { sensitive: ['data.token'], level: 'summary' },
    audit: 'basic',
  });
  expect(wait().snapshot).toMatchObject({ kind: 'wait', audit: null });
  expect(() => wait({ view: { sensitive: 'data' } as object })).toThrow(matchError('invalid_tool', 'view.sensitive'));
  expect(() => wait({ audit: 'all' } as object)).toThrow(matchError('invalid_options', 'audit'));
});

it('may have another name and description, and rejects unknown options', () => {
  const renamed = wait({ name: 'sleep', description: 'Waits for the build: signal build-done.' });
  expect(renamed.snapshot).toMatchObject({ name: 'sleep', waits: true, effects: 'read' });
  expect(() => wait({ nmae: 'sleep' } as object)).toThrow(matchError('invalid_options', 'nmae is unknown'));
  expect(defaults.waitMs).toBe(7 * 24 * 3_600_000);
});
