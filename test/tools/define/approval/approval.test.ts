/** Approval settings: invalid ones are rejected, and the verdicts of several layers are combined. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRequestRules } from '../../../../src/core/engine/state/request-rules.js';
import type { RequestRules } from '../../../../src/core/model/request.js';
import { askUser } from '../../../../src/entries/tools.js';
import type { WorkerApprovals } from '../../../../src/entries/worker.js';
import {
  type ApprovalVerdict,
  codeApprovals,
  defineTool,
  isLonghandError,
  type ToolDefinition,
} from '../../../../src/index.js';
import { checkWorkerApprovals } from '../../../../src/tools/define/approval/check-approval.js';
import {
  type ApprovalResult,
  combineApprovals,
  toApprovalResult,
  toToolApprovalResult,
} from '../../../../src/tools/define/approval/combine-approvals.js';
import { matchError } from '../../../support/match-error.js';

const day = 24 * 60 * 60_000;
const push = { name: 'git_push', effects: 'unsafe' } as const;
const look = { name: 'look', effects: 'read' } as const;
const nothing = { kind: 'nothing' } as const;
const asks = (rules: Partial<RequestRules>): ApprovalResult => ({
  kind: 'request',
  rules: createRequestRules({ reason: 'Why.', risk: 'low', ...rules }),
});

function rejection(approval: unknown): string | null {
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
    if (isLonghandError(error) && error.code === 'invalid_tool') return error.message.replace('defineTool: door: ', '');
    throw error;
  }
}

describe('the approval of a tool', () => {
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
  ])('is valid: %j', (approval) => {
    expect(rejection(approval)).toBeNull();
  });

  it.each<[unknown, string]>([
    [
      'yes',
      "approval must be true, false, { grant: true }, { deny: 'why' }, { end: 'why' }, or options such as { reason: 'why', roles: ['lead'] }, or a policy: (call) => verdict.",
    ],
    [['lead'], 'approval must be true, false'],
    [{ role: ['lead'] }, 'approval.role is unknown; you may mean roles.'],
    [
      { roles: 'lead' },
      "approval.roles must be a list of roles, such as ['release-manager']; leave it out if any person may decide.",
    ],
    [{ roles: [] }, 'approval.roles must be a list of roles'],
    [{ risk: 'huge' }, 'approval.risk must be low, medium or high.'],
    [{ reason: ' ' }, 'approval.reason must be a text that is not empty.'],
    [{ approvers: 0 }, 'approval.approvers must be a whole number from 1.'],
    [
      { expires: 'soon' },
      "approval.expires must be milliseconds (at least 1) or a text such as '90s', or null for no expiry.",
    ],
    [{ onExpiry: 'allow' }, 'approval.onExpiry must be deny or approve.'],
    [{ onExpiry: 'approve', expires: null }, 'approval.onExpiry has no effect if expires is null.'],
    [{ escalate: { after: '1h' } }, "approval.escalate must have a time and roles: { after: '2h', roles: ['lead'] }."],
    [{ escalate: { after: '1h', roles: ['boss'] } }, 'approval.escalate has no effect without roles'],
    [
      { roles: ['lead'], expires: '1h', escalate: { after: '1h', roles: ['boss'] } },
      'approval.escalate.after must be sooner than expires.',
    ],
    [
      { roles: ['lead'], escalate: { after: '10 days', roles: ['boss'] } },
      'approval.escalate.after must be sooner than the default of expires, 7 days.',
    ],
    [{ grant: false }, 'approval must be exactly { grant: true }.'],
    [{ grant: true, roles: ['lead'] }, 'approval must be exactly { grant: true }.'],
    [{ deny: '' }, "approval must be exactly { deny: 'why' }, with a sentence for the model."],
    [{ deny: 'No.', grant: true }, 'approval must be exactly { grant: true }.'],
  ])('is rejected: %j', (approval, message) => {
    expect(rejection(approval)).toContain(message);
  });

  it('is not in the snapshot', () => {
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
    [undefined, 'unsafe', 'request'],
    [null, 'unsafe', 'request'],
    [undefined, 'read', 'nothing'],
    [false, 'unsafe', 'nothing'],
    [true, 'read', 'request'],
    [{}, 'read', 'request'],
    [{ grant: true }, 'unsafe', 'grant'],
    [{ deny: 'No.' }, 'read', 'deny'],
  ])('%j of a tool with effects %s results in: %s', (verdict, effects, kind) => {
    expect(toToolApprovalResult(verdict, { name: 'door', effects }).kind).toBe(kind);
  });
});

describe('the rules of a request', () => {
  it('are the defaults without options', () => {
    expect(toApprovalResult(true, push, 'Look.')).toEqual({
      kind: 'request',
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

  it('follow the options', () => {
    const result = toApprovalResult(
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
    expect(result).toEqual({
      kind: 'request',
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

  it('have no expiry if expires is null', () => {
    expect(toApprovalResult({ expires: null }, look, '')).toMatchObject({ rules: { expiresMs: null, risk: 'low' } });
  });

  it('ignore undefined members', () => {
    const verdict = { grant: undefined, deny: undefined, reason: 'Why.' } as unknown as ApprovalVerdict;
    expect(toApprovalResult(verdict, push, '')).toMatchObject({ kind: 'request', rules: { reason: 'Why.' } });
  });

  it('limit the length of the reason', () => {
    const result = toApprovalResult({ reason: 'so '.repeat(10_000) }, push, '');
    expect(result.kind === 'request' && result.rules.reason.length).toBe(2_000);
  });
});

describe('several layers', () => {
  it('request approval by the strictest rules of all', () => {
    const result = combineApprovals([
      asks({ reason: 'Platform.', roles: ['lead', 'boss'], expiresMs: null, onExpiry: 'approve' }),
      nothing,
      asks({ reason: 'Agent.', risk: 'high', approvers: 2, expiresMs: day }),
      asks({ reason: 'Tool.', roles: ['boss', 'dev'], byRequester: false }),
    ]);
    expect(result).toEqual(
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

  it('require nothing if no layer does', () => {
    expect(combineApprovals([nothing, nothing])).toEqual(nothing);
  });

  it('are overridden by a grant above them, not below them', () => {
    const [platform, tool] = [asks({ reason: 'Platform.' }), asks({ reason: 'Tool.' })];
    expect(combineApprovals([nothing, { kind: 'grant' }, tool])).toEqual(nothing);
    expect(combineApprovals([platform, { kind: 'grant' }, tool])).toEqual(platform);
    expect(combineApprovals([{ kind: 'grant' }, platform, { kind: 'deny', reason: 'No.' }])).toEqual(nothing);
  });

  it('are overridden by a denial, unless a higher layer grants', () => {
    const deny: ApprovalResult = { kind: 'deny', reason: 'No.' };
    expect(combineApprovals([asks({}), nothing, deny])).toEqual(deny);
    expect(combineApprovals([deny, { kind: 'grant' }, asks({})])).toEqual(deny);
  });

  it('never require less than a layer without a grant above it', () => {
    const layer = fc.oneof(
      fc.constant<ApprovalResult>(nothing),
      fc.constant<ApprovalResult>({ kind: 'grant' }),
      fc.constant<ApprovalResult>({ kind: 'deny', reason: 'No.' }),
      fc.record({ approvers: fc.integer({ min: 1, max: 4 }), byRequester: fc.boolean() }).map(asks),
    );
    fc.assert(
      fc.property(fc.array(layer, { maxLength: 4 }), (layers) => {
        const result = combineApprovals(layers);
        const granted = layers.findIndex(({ kind }) => kind === 'grant');
        for (const each of granted < 0 ? layers : layers.slice(0, granted)) {
          if (each.kind === 'deny') expect(result.kind).toBe('deny');
          if (each.kind !== 'request') continue;
          expect(['request', 'deny']).toContain(result.kind);
          if (result.kind !== 'request') continue;
          expect(result.rules.approvers).toBeGreaterThanOrEqual(each.rules.approvers);
          expect(result.rules.byRequester && !each.rules.byRequester).toBe(false);
        }
      }),
    );
  });
});

it('the presets name the tools that work on code, each with a reason and its risk', () => {
  expect(codeApprovals).toMatchObject({
    git_push: { reason: expect.stringMatching(/\.$/), risk: 'high' },
    git_commit: { reason: expect.stringMatching(/\.$/), risk: 'medium' },
    file_write: { reason: expect.stringMatching(/\.$/), risk: 'medium' },
    shell_exec: { reason: expect.stringMatching(/\.$/), risk: 'high' },
  });
  expect(checkWorkerApprovals({ platform: codeApprovals }, '')).toBeNull();
});

describe('the approvals of a worker', () => {
  it.each<[WorkerApprovals]>([
    [{}],
    [{ platform: undefined }],
    [{ platform: () => null }],
    [{ platform: { deploy: { roles: ['lead'] }, look: () => false }, tenants: { acme: { pay: true } } }],
  ])('is valid: %j', (approvals) => {
    expect(checkWorkerApprovals(approvals, '')).toBeNull();
  });

  it.each<[unknown, string]>([
    [{ plattform: {} }, 'plattform is unknown; you may mean platform'],
    [{ platform: true }, 'platform must be a policy, (call) => verdict, or an object by tool, { git_push: true }'],
    [{ platform: { pay: 'yes' } }, 'platform.pay must be true, false'],
    [{ platform: { pay: { role: ['x'] } } }, 'platform.pay.role is unknown'],
    [{ tenants: [] }, 'tenants must be an object by tenant, { acme: { git_push: true } }'],
    [{ tenants: { acme: true } }, 'tenants.acme must be a policy'],
    [{ tenants: { acme: { pay: { roles: [] } } } }, 'tenants.acme.pay.roles must be a list of roles'],
  ])('is rejected: %j', (approvals, message) => {
    expect(checkWorkerApprovals(approvals, '')).toContain(message);
  });
});

describe('askUser', () => {
  it('creates a tool whose calls are questions', () => {
    const { name, snapshot, validateInput, parse } = askUser();
    expect(name).toBe('ask_user');
    expect(snapshot).toMatchObject({
      effects: 'read',
      question: { risk: 'low', roles: [], approvers: 1, expiresMs: 7 * day, escalation: null },
    });
    expect(validateInput({ question: 'Which?' })).toBeNull();
    expect(validateInput({ question: 'Which?', options: ['this', 'that'] })).toBeNull();
    expect(validateInput({ question: '' })).toContain('question');
    expect(() => parse({ question: 'Which?' })({} as never)).toThrow(matchError('not_done'));
  });

  it('sets the rules of the question', () => {
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
    [{ escalate: { after: '1h', roles: ['boss'] } }, 'askUser: escalate has no effect without roles'],
    [{ description: '' }, 'askUser: description must be a text that is not empty.'],
  ])('rejects %j', (options, message) => {
    expect(() => askUser(options)).toThrow(matchError('invalid_options', message));
  });

  it('rejects an invalid name', () => {
    expect(() => askUser({ name: 'a b' })).toThrow(matchError('invalid_tool', '"a b"'));
  });
});
