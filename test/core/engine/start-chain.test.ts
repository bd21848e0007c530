/** A start from another program, in any language: a plain JSON object with an agent and a task. */

import { expect, it } from 'vitest';
import type { ChainInput } from '../../../src/core/model/fact.js';
import { agentOf, answers, someInput } from '../../support/core-builders.js';
import { prepared, started } from '../../support/core-play.js';

const startWith = (input: object) => started(input as ChainInput);

it('an agent and a task suffice: every other member of the start has a default', () => {
  const play = startWith({ agent: 'clerk', task: 'Count the invoices.' });
  expect(play.state.stop).toBeNull();
  expect(play.state.input).toEqual({
    rules: 1,
    agent: 'clerk',
    task: 'Count the invoices.',
    model: null,
    limits: {},
    tenant: null,
    user: null,
    roles: [],
  });
});

it('a member that is null has its default, because typed languages send null for what their caller omits', () => {
  const nulls = Object.fromEntries(
    ['rules', 'model', 'limits', 'tenant', 'user', 'roles', 'files', 'plan', 'origin', 'lineage', 'shownAs'].map(
      (member) => [member, null],
    ),
  );
  const play = startWith({ agent: 'clerk', task: 'Count.', ...nulls });
  expect(play.state.input).toEqual(startWith({ agent: 'clerk', task: 'Count.' }).state.input);
  expect(play.state.stop).toBeNull();
});

it('a chain with the shortest start runs as one that the client started', () => {
  const { agent, task } = someInput;
  const ended = [{ agent, task } as ChainInput, someInput].map((input) => {
    const play = prepared(agentOf(), input);
    play.replied(answers('Done.'));
    return play.result;
  });
  expect(ended[0]).toMatchObject({ outcome: 'success', answer: 'Done.' });
  expect(ended[0]).toEqual(ended[1]);
});

it.each([
  [{}, 'incomplete_start'],
  [{ agent: 'clerk' }, 'incomplete_start'],
  [{ task: 'Count.' }, 'incomplete_start'],
  ['clerk', 'incomplete_start'],
  [null, 'incomplete_start'],
  [{ agent: 'clerk', task: 'Count.', tenant: 7 }, 'invalid_start'],
  [{ agent: 'clerk', task: 'Count.', rules: 9 }, 'unknown_rules'],
])('a start that is %j ends the chain with a reason', (input, code) => {
  const play = startWith(input as object);
  expect(play.result).toMatchObject({ outcome: 'failure', reasonCode: code, steps: 0 });
  expect(play.modelCalls).toEqual([]);
});

it('a name that no agent can have ends the chain at once: no worker will ever have it', () => {
  for (const agent of ['', 'my clerk', 'a'.repeat(65)]) {
    const play = startWith({ agent, task: 'Count.' });
    expect(play.state.stop?.reason).toMatchObject({ code: 'invalid_start', member: 'agent' });
    // It has no default.
    expect(play.result.reason).toMatch(/expected the name of an agent\. Correct it where the chain is started\.$/);
  }
});
