/** Whether a value says who has to approve. Policies come from settings and from plain JavaScript: what is misread lets calls run. */

import {
  checkBoolean,
  checkIntegerFrom,
  checkList,
  checkMembers,
  checkNonEmptyText,
  checkOneOf,
  type ValueCheck,
} from '../../core/lib/check-value.js';
import { findOwn, isObject } from '../../core/lib/json.js';
import type { ApprovalOptions, WorkerApprovals } from './approval.js';
import { durationCheck, toMilliseconds } from './duration.js';

const decidingRolesCheck: ValueCheck = (value, at) =>
  Array.isArray(value) && value.length > 0 && value.every((role) => checkNonEmptyText(role, at) === null)
    ? null
    : `${at} must be a list of roles, such as ['release-manager']; leave it out where anybody may decide`;

const escalationCheck: ValueCheck = (value, at) => {
  const { after, roles: to } = isObject(value) ? value : {};
  if (after === undefined || to === undefined)
    return `${at} must say when and to whom: { after: '2h', roles: ['lead'] }`;
  return checkMembers<NonNullable<ApprovalOptions['escalate']>>({ after: durationCheck, roles: decidingRolesCheck })(
    value,
    at,
  );
};

/** Of `ApprovalOptions`; questions to people share some. */
export const approvalOptionChecks = {
  reason: checkNonEmptyText,
  risk: (value: unknown, at: string) => checkOneOf(['low', 'medium', 'high'], value, at),
  roles: decidingRolesCheck,
  approvers: checkIntegerFrom(1),
  byRequester: checkBoolean,
  expires: (value: unknown, at: string) =>
    value === null || durationCheck(value, at) === null ? null : `${durationCheck(value, at)}, or null for ever`,
  onExpiry: (value: unknown, at: string) => checkOneOf(['deny', 'approve'], value, at),
  escalate: escalationCheck,
} satisfies { readonly [member in keyof Required<ApprovalOptions>]: ValueCheck };

const approvalOptionsCheck = checkMembers<ApprovalOptions>(approvalOptionChecks);

/** A verdict: what a tool, an entry of a map or a policy may say. */
export const verdictCheck: ValueCheck = (value, at) => {
  if (value === undefined || value === null || typeof value === 'boolean') return null;
  if (!isObject(value)) {
    return `${at} must be true, false, { grant: true }, { deny: 'why' }, or options such as { reason: 'why', roles: ['lead'] }`;
  }
  if (findOwn(value, 'grant') !== undefined) {
    return value.grant === true && hasOneMember(value) ? null : `${at} must be { grant: true } and nothing besides`;
  }
  if (findOwn(value, 'deny') !== undefined) {
    return checkNonEmptyText(value.deny, '') === null && hasOneMember(value)
      ? null
      : `${at} must be { deny: 'why' }, a sentence for the model, and nothing besides`;
  }
  return approvalOptionsCheck(value, at) ?? validateTimes(value as ApprovalOptions, at);
};

export const approvalCheck: ValueCheck = (value, at) => {
  if (typeof value === 'function') return null;
  const wrong = verdictCheck(value, at);
  return wrong === null || isObject(value) ? wrong : `${wrong}, or a policy: (call) => verdict`;
};

/** For many tools at once. */
export const toolApprovalsCheck: ValueCheck = (value, at) => {
  if (typeof value === 'function') return null;
  if (!isObject(value)) return `${at} must be a policy, (call) => verdict, or an object by tool, { git_push: true }`;
  for (const [tool, approval] of Object.entries<unknown>(value)) {
    const wrong = approvalCheck(approval, `${at}.${tool}`);
    if (wrong !== null) return wrong;
  }
  return null;
};

export const workerApprovalsCheck = checkMembers<WorkerApprovals>({
  platform: toolApprovalsCheck,
  tenants: (value, at) => {
    if (!isObject(value)) return `${at} must be an object by tenant, { acme: { git_push: true } }`;
    const wrong = Object.entries<unknown>(value).map(([tenant, each]) => toolApprovalsCheck(each, `${at}.${tenant}`));
    return wrong.find((each) => each !== null) ?? null;
  },
});

/** Options that cannot come to anything were meant differently. */
export function validateTimes(options: ApprovalOptions, at: string): string | null {
  const { expires, onExpiry, escalate: up, roles: who } = options;
  if (onExpiry === 'approve' && expires === null) return `${at}.onExpiry means nothing where expires is null`;
  if (up === undefined) return null;
  if (who === undefined)
    return `${at}.escalate means nothing where anybody may decide: say with roles who may at first`;
  if (expires === undefined || expires === null || toMilliseconds(up.after) < toMilliseconds(expires)) return null;
  return `${at}.escalate.after must be sooner than expires`;
}

function hasOneMember(value: object): boolean {
  return Object.values(value).filter((member) => member !== undefined).length === 1;
}

/** Roles that something is restricted to. */
export const rolesCheck: ValueCheck = (value, at) => checkList(checkNonEmptyText)(value, at);
