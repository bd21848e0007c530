/** Visibility rules that would hide nothing are rejected. */

import { describe, expect, it } from 'vitest';
import { validateVisibility } from '../../../src/core/view/validate-visibility.js';
import { createWorker } from '../../../src/worker/create-worker.js';
import { createActor } from '../../support/delegating.js';
import { matchError } from '../../support/match-error.js';

describe('visibility rules', () => {
  it.each<[unknown, string | null]>([
    [
      { toolKinds: { sub_agents: { childChain: 'hidden' } } },
      'toolKinds.sub_agents is not a known kind of tool; you may mean sub_agent',
    ],
    [{ toolKinds: { databse: { level: 'hidden' } } }, 'you may mean database'],
    [{ required: [{ atMost: 'hidden', toolKind: 'agents' }] }, 'required.0.toolKind "agents" is not a known kind'],
    [
      { toolKinds: { ledger: {} } },
      'expected one of external, database, skill, file_system, shell, git, llm, memory, mcp, command, question, wait, sub_agent, plan, finish, custom. List your own kinds',
    ],
    [{ toolKinds: { constructor: {} } }, 'toolKinds.constructor is not a known kind'],
    [{ toolKinds: { ledger: {} }, kinds: ['ledger'] }, null],
    [{ toolKinds: { sub_agent: { childChain: 'hiden' } } }, 'must be full, summary or hidden; you may mean hidden'],
    [{ required: [{ atMost: 'hide', tool: 'kid' }] }, 'required.0.atMost must be summary or hidden'],
    [{ required: [{ atMost: 'hidden', step: 'tool_calls' }] }, 'you may mean tool_call'],
    [{ required: [{ atMost: 'hidden', tol: 'kid' }] }, 'required.0.tol is unknown; you may mean tool'],
    [{ toolKinds: { sub_agent: { childchain: 'hidden' } } }, 'you may mean childChain'],
  ])('are validated: %j', (rules, problem) => {
    const found = validateVisibility(rules);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toContain(problem);
  });

  it('are validated by a worker before it connects', async () => {
    const visibility = { toolKinds: { sub_agents: { level: 'hidden' } } } as const;
    await expect(
      createWorker({ agents: [createActor('clerk')], visibility, address: '127.0.0.1:1' }),
    ).rejects.toMatchObject(matchError('invalid_policy', 'sub_agents'));
  });
});
