/** Who has to approve, as it is written: what cannot be meant is refused, and what several layers say is put together. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { RequestRules } from '../../../src/core/model/request.js';
import { createRequestRules } from '../../../src/core/state/request-rules.js';
import { type ApprovalVerdict, codeApprovals, type WorkerApprovals } from '../../../src/tools/approval/approval.js';
import { workerApprovalsCheck } from '../../../src/tools/approval/check-approval.js';
import {
  type ApprovalResult,
  combineApprovals,
  toApprovalResult,
  toToolApprovalResult,
} from '../../../src/tools/approval/combine-approvals.js';
import { askUser } from '../../../src/tools/builtin/ask-user.js';
import { defineTool, type ToolDefinition } from '../../../src/tools/define/define-tool.js';

const day = 24 * 60 * 60_000;
const push = { name: 'git_push', effects: 'unsafe' } as const;
const look = { name: 'look', effects: 'read' } as const;
const nothing = { kind: 'nothing' } as const;
const asks = (rules: Partial<RequestRules>): ApprovalResult => ({
  kind: 'ask',
  rules: createRequestRules({ reason: 'Why.', risk: 'low', ...rules }),
});

function refusal(approval: unknown): string | null {
  try {
    const definition = {
      name: 'door',
      description: 'Opens a door',
      inputSchema: z.object({}),
      effects: 'read',
      execute: () => 1,
    };
    defineTool({ ...definition, approval } as ToolDefinition<z.ZodObject>);
    return null;
  } catch (error) {
    if (error instanceof TypeError) return error.message.replace('defineTool: door: ', '');
    throw error;
  }
}

describe('what a tool says', () => {
  it.each<[unknown]>([
    [undefined],
    [true],
    [false],
    [null],
    [{}],
    [() => true],
    [{ grant: true }],
    [{ deny: 'Not here.' }],
    [
      {
        reason: 'Why.',
        risk: 'high',
        roles: ['lead'],
        approvers: 2,
        byRequester: false,
        expires: '2h',
        onExpiry: 'deny',
      },
    ],
    [{ expires: null }],
    [{ roles: ['lead'], escalate: { after: '30m', roles: ['boss'] } }],
  ])('is taken: %j', (approval) => {
    expect(refusal(approval)).toBeNull();
  });

  it.each<[unknown, string]>([
    [
      'yes',
      "approval must be true, false, { grant: true }, { deny: 'why' }, or options such as { reason: 'why', roles: ['lead'] }, or a policy: (call) => verdict.",
    ],
    [['lead'], 'approval must be true, false'],
    [{ role: ['lead'] }, 'approval.role is unknown; you may mean roles.'],
    [
      { roles: 'lead' },
      "approval.roles must be a list of roles, such as ['release-manager']; leave it out where anybody may decide.",
    ],
    [{ roles: [] }, 'approval.roles must be a list of roles'],
    [{ risk: 'huge' }, 'approval.risk must be low, medium or high.'],
    [{ reason: ' ' }, 'approval.reason must be a text that is not empty.'],
    [{ approvers: 0 }, 'approval.approvers must be a whole number from 1.'],
    [
      { expires: 'soon' },
      "approval.expires must be milliseconds, 1 at least, or a text such as '90s', or null for ever.",
    ],
    [{ onExpiry: 'allow' }, 'approval.onExpiry must be deny or approve.'],
    [{ onExpiry: 'approve', expires: null }, 'approval.onExpiry means nothing where expires is null.'],
    [{ escalate: { after: '1h' } }, "approval.escalate must say when and to whom: { after: '2h', roles: ['lead'] }."],
    [{ escalate: { after: '1h', roles: ['boss'] } }, 'approval.escalate means nothing where anybody may decide'],
    [
      { roles: ['lead'], expires: '1h', escalate: { after: '1h', roles: ['boss'] } },
      'approval.escalate.after must be sooner than expires.',
    ],
    [{ grant: false }, 'approval must be { grant: true } and nothing besides.'],
    [{ grant: true, roles: ['lead'] }, 'approval must be { grant: true } and nothing besides.'],
    [{ deny: '' }, "approval must be { deny: 'why' }, a sentence for the model, and nothing besides."],
    [{ deny: 'No.', grant: true }, 'approval must be { grant: true } and nothing besides.'],
  ])('is refused: %j', (approval, says) => {
    expect(refusal(approval)).toContain(says);
  });

  it('is not in its snapshot: those of tools that say nothing stay what they were', () => {
    const definition = {
      name: 'door',
      description: 'Opens a door',
      inputSchema: z.object({}),
      effects: 'unsafe' as const,
    };
    const silent = defineTool({ ...definition, execute: () => 1 });
    expect(defineTool({ ...definition, approval: true, execute: () => 1 }).snapshot).toEqual(silent.snapshot);
    expect(silent).not.toHaveProperty('approval');
  });

  it.each<[ApprovalVerdict, 'unsafe' | 'read', ApprovalResult['kind']]>([
    [undefined, 'unsafe', 'ask'],
    [null, 'unsafe', 'ask'],
    [undefined, 'read', 'nothing'],
    [false, 'unsafe', 'nothing'],
    [true, 'read', 'ask'],
    [{}, 'read', 'ask'],
    [{ grant: true }, 'unsafe', 'grant'],
    [{ deny: 'No.' }, 'read', 'deny'],
  ])('%j of one that is %s comes to: %s', (verdict, effects, kind) => {
    expect(toToolApprovalResult(verdict, { name: 'door', effects }).kind).toBe(kind);
  });
});

describe('how a person is asked', () => {
  it('is by defaults where nothing is said', () => {
    expect(toApprovalResult(true, push, 'Look.')).toEqual({
      kind: 'ask',
      rules: {
        reason: 'Look.',
        risk: 'high',
        roles: [],
        approvers: 1,
        byRequester: true,
        expiresMs: 7 * day,
        onExpiry: 'deny',
        escalation: null,
      },
    });
  });

  it('is as the options say', () => {
    const said = toApprovalResult(
      {
        reason: 'It is Friday.',
        risk: 'low',
        roles: ['lead'],
        approvers: 2,
        byRequester: false,
        expires: '2 days',
        onExpiry: 'approve',
        escalate: { after: '1.5h', roles: ['boss'] },
      },
      push,
      '',
    );
    expect(said).toEqual({
      kind: 'ask',
      rules: {
        reason: 'It is Friday.',
        risk: 'low',
        roles: ['lead'],
        approvers: 2,
        byRequester: false,
        expiresMs: 2 * day,
        onExpiry: 'approve',
        escalation: { afterMs: 5_400_000, roles: ['boss'] },
      },
    });
  });

  it('never ends by itself where expires is null', () => {
    expect(toApprovalResult({ expires: null }, look, '')).toMatchObject({ rules: { expiresMs: null, risk: 'low' } });
  });

  it('takes a member that is undefined for one that is not there', () => {
    const unsaid = { grant: undefined, deny: undefined, reason: 'Why.' } as unknown as ApprovalVerdict;
    expect(toApprovalResult(unsaid, push, '')).toMatchObject({ kind: 'ask', rules: { reason: 'Why.' } });
  });

  it('keeps no reason without end', () => {
    const said = toApprovalResult({ reason: 'so '.repeat(10_000) }, push, '');
    expect(said.kind === 'ask' && said.rules.reason.length).toBe(2_000);
  });
});

describe('several layers', () => {
  it('ask by the strictest of what each says', () => {
    const said = combineApprovals([
      asks({ reason: 'Platform.', roles: ['lead', 'boss'], expiresMs: null, onExpiry: 'approve' }),
      nothing,
      asks({ reason: 'Agent.', risk: 'high', approvers: 2, expiresMs: day }),
      asks({ reason: 'Tool.', roles: ['boss', 'dev'], byRequester: false }),
    ]);
    expect(said).toEqual(
      asks({
        reason: 'Platform. Agent. Tool.',
        risk: 'high',
        roles: ['boss'],
        approvers: 2,
        byRequester: false,
        expiresMs: day,
        onExpiry: 'deny',
      }),
    );
  });

  it('ask for nothing where none of them does', () => {
    expect(combineApprovals([nothing, nothing])).toEqual(nothing);
  });

  it('are silenced by a grant from where it was given, and not above', () => {
    const [platform, tool] = [asks({ reason: 'Platform.' }), asks({ reason: 'Tool.' })];
    expect(combineApprovals([nothing, { kind: 'grant' }, tool])).toEqual(nothing);
    expect(combineApprovals([platform, { kind: 'grant' }, tool])).toEqual(platform);
    expect(combineApprovals([{ kind: 'grant' }, platform, { kind: 'deny', reason: 'No.' }])).toEqual(nothing);
  });

  it('are all overruled by one that denies, unless it was granted above', () => {
    const deny: ApprovalResult = { kind: 'deny', reason: 'No.' };
    expect(combineApprovals([asks({}), nothing, deny])).toEqual(deny);
    expect(combineApprovals([deny, { kind: 'grant' }, asks({})])).toEqual(deny);
  });

  it('never ask for less than a layer that nobody above has granted for', () => {
    const layer = fc.oneof(
      fc.constant<ApprovalResult>(nothing),
      fc.constant<ApprovalResult>({ kind: 'grant' }),
      fc.constant<ApprovalResult>({ kind: 'deny', reason: 'No.' }),
      fc.record({ approvers: fc.integer({ min: 1, max: 4 }), byRequester: fc.boolean() }).map(asks),
    );
    fc.assert(
      fc.property(fc.array(layer, { maxLength: 4 }), (layers) => {
        const said = combineApprovals(layers);
        const granted = layers.findIndex(({ kind }) => kind === 'grant');
        for (const each of granted < 0 ? layers : layers.slice(0, granted)) {
          if (each.kind === 'deny') expect(said.kind).toBe('deny');
          if (each.kind !== 'ask') continue;
          expect(['ask', 'deny']).toContain(said.kind);
          if (said.kind !== 'ask') continue;
          expect(said.rules.approvers).toBeGreaterThanOrEqual(each.rules.approvers);
          expect(said.rules.byRequester && !each.rules.byRequester).toBe(false);
        }
      }),
    );
  });
});

it('presets name the tools that work on code, each with a reason and its risk', () => {
  expect(codeApprovals).toMatchObject({
    git_push: { reason: expect.stringMatching(/\.$/), risk: 'high' },
    git_commit: { reason: expect.stringMatching(/\.$/), risk: 'medium' },
    file_write: { reason: expect.stringMatching(/\.$/), risk: 'medium' },
    shell_exec: { reason: expect.stringMatching(/\.$/), risk: 'high' },
  });
  expect(workerApprovalsCheck({ platform: codeApprovals }, '')).toBeNull();
});

describe('what a worker asks for', () => {
  it.each<[WorkerApprovals]>([
    [{}],
    [{ platform: undefined }],
    [{ platform: () => null }],
    [{ platform: { deploy: { roles: ['lead'] }, look: () => false }, tenants: { acme: { pay: true } } }],
  ])('is taken: %j', (approvals) => {
    expect(workerApprovalsCheck(approvals, '')).toBeNull();
  });

  it.each<[unknown, string]>([
    [{ plattform: {} }, 'plattform is unknown; you may mean platform'],
    [{ platform: true }, 'platform must be a policy, (call) => verdict, or an object by tool, { git_push: true }'],
    [{ platform: { pay: 'yes' } }, 'platform.pay must be true, false'],
    [{ platform: { pay: { role: ['x'] } } }, 'platform.pay.role is unknown'],
    [{ tenants: [] }, 'tenants must be an object by tenant, { acme: { git_push: true } }'],
    [{ tenants: { acme: true } }, 'tenants.acme must be a policy'],
    [{ tenants: { acme: { pay: { roles: [] } } } }, 'tenants.acme.pay.roles must be a list of roles'],
  ])('is refused: %j', (approvals, says) => {
    expect(workerApprovalsCheck(approvals, '')).toContain(says);
  });
});

describe('askUser', () => {
  it('makes a tool whose calls are questions', () => {
    const { name, snapshot, validateInput, parse } = askUser();
    expect(name).toBe('ask_user');
    expect(snapshot).toMatchObject({
      effects: 'read',
      volatile: true,
      question: { risk: 'low', roles: [], approvers: 1, expiresMs: 7 * day, escalation: null },
    });
    expect(validateInput({ question: 'Which?' })).toBeNull();
    expect(validateInput({ question: 'Which?', options: ['this', 'that'] })).toBeNull();
    expect(validateInput({ question: '' })).toContain('question');
    expect(() => parse({ question: 'Which?' })({} as never)).toThrow(expect.objectContaining({ name: 'NotDone' }));
  });

  it('says who may answer, and until when', () => {
    const rules = {
      roles: ['customer'],
      expires: '2h',
      byRequester: false,
      escalate: { after: '1h', roles: ['boss'] },
    };
    const { snapshot } = askUser({ name: 'talk', description: 'Asks.', ...rules } as Parameters<typeof askUser>[0]);
    expect(snapshot).toMatchObject({
      name: 'talk',
      description: 'Asks.',
      question: {
        roles: ['customer'],
        expiresMs: 7_200_000,
        byRequester: false,
        escalation: { afterMs: 3_600_000, roles: ['boss'] },
      },
    });
  });

  it.each<[object, string]>([
    [
      { approvers: 2 },
      'askUser: approvers is unknown; expected name, description, roles, byRequester, expires, escalate.',
    ],
    [{ roles: [] }, 'askUser: roles must be a list of roles'],
    [{ expires: 'soon' }, 'askUser: expires must be milliseconds'],
    [{ escalate: { after: '1h', roles: ['boss'] } }, 'askUser: escalate means nothing where anybody may decide'],
    [{ description: '' }, 'askUser: description must be a text that is not empty.'],
    [{ name: 'a b' }, 'the name "a b" must begin with a letter'],
  ])('refuses %j', (options, says) => {
    expect(() => askUser(options)).toThrow(says);
  });
});
