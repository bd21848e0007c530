/** The roles of tools: own, built-in and delegating ones. */

import { expect, it } from 'vitest';
import { z } from 'zod';
import { coder, codeTools, fileTools } from '../../src/entries/tools.js';
import { type Agent, defineAgent, defineTool, delegate, explore, mapAgent, type Tool } from '../../src/index.js';
import { matchError } from '../support/match-error.js';

const roles = ['treasury', 'board'];
const aide = defineAgent({ name: 'aide', model: 'claude-sonnet-5-5' });
const refund = (given: readonly string[]) =>
  defineTool({
    name: 'refund',
    description: 'Gives a payment back.',
    inputSchema: z.object({ payment: z.string() }),
    effects: 'unsafe',
    roles: given,
    execute: () => 'done',
  });
const toolsOf = ({ tools }: Agent) => tools.filter(({ name }) => name !== 'ask_user');

it.each<readonly [string, (roles: readonly string[]) => readonly Tool[]]>([
  ['own tools', (given) => [refund(given)]],
  ['agents used as tools', (given) => [delegate(aide, { roles: given }), mapAgent(aide, { roles: given })]],
  ['branches', (given) => [explore({ roles: given })]],
  ['file tools', (given) => fileTools({ root: '.', roles: given })],
  ['code tools', (given) => codeTools({ root: '.', tests: 'npm test --', roles: given })],
  ['the tools of the coding agent', (given) => toolsOf(coder({ root: '.', roles: given }))],
])('%s take the roles that may have them called, and reject an empty list', (_, create) => {
  const restricted = create(roles);
  expect(restricted.length).toBeGreaterThan(0);
  expect(restricted.map((tool) => tool.snapshot.roles)).toEqual(restricted.map(() => roles));
  expect(() => create([])).toThrow("roles must be a list of roles, such as ['treasury']; leave it out");
  expect(() => create('board' as never)).toThrow('roles must be a list of roles');
});

it('a tool without roles may be called in all chains', () => {
  expect([...fileTools({ root: '.' }), delegate(aide)].map((tool) => tool.snapshot.roles)).toEqual([[], [], [], []]);
  expect(() => refund([' '])).toThrow(matchError('invalid_tool', 'roles'));
});
