/** Whether a value says who has to approve. Policies come from settings and from plain JavaScript: what is misread lets calls run. */

import { type Check, listOf, membersOf, oneOf, wholeFrom, words, yesOrNo } from '../../core/lib/check-value.js';
import { isObject, own } from '../../core/lib/json.js';
import type { ApprovalOptions, WorkerApprovals } from './approval.js';
import { duration, milliseconds } from './duration.js';

const roles: Check = (value, at) =>
  Array.isArray(value) && value.length > 0 && value.every((role) => words(role, at) === null)
    ? null
    : `${at} must be a list of roles, such as ['release-manager']; leave it out where anybody may decide`;

const escalate: Check = (value, at) => {
  const { after, roles: to } = isObject(value) ? value : {};
  if (after === undefined || to === undefined)
    return `${at} must say when and to whom: { after: '2h', roles: ['lead'] }`;
  return membersOf<NonNullable<ApprovalOptions['escalate']>>({ after: duration, roles })(value, at);
};

/** Of `ApprovalOptions`; questions to people share some. */
export const optionChecks = {
  reason: words,
  risk: (value: unknown, at: string) => oneOf(['low', 'medium', 'high'], value, at),
  roles,
  approvers: wholeFrom(1),
  byRequester: yesOrNo,
  expires: (value: unknown, at: string) =>
    value === null || duration(value, at) === null ? null : `${duration(value, at)}, or null for ever`,
  onExpiry: (value: unknown, at: string) => oneOf(['deny', 'approve'], value, at),
  escalate,
} satisfies { readonly [member in keyof Required<ApprovalOptions>]: Check };

const members = membersOf<ApprovalOptions>(optionChecks);

/** A verdict: what a tool, an entry of a map or a policy may say. */
export const verdictCheck: Check = (value, at) => {
  if (value === undefined || value === null || typeof value === 'boolean') return null;
  if (!isObject(value)) {
    return `${at} must be true, false, { grant: true }, { deny: 'why' }, or options such as { reason: 'why', roles: ['lead'] }`;
  }
  if (own(value, 'grant') !== undefined) {
    return value.grant === true && alone(value) ? null : `${at} must be { grant: true } and nothing besides`;
  }
  if (own(value, 'deny') !== undefined) {
    return words(value.deny, '') === null && alone(value)
      ? null
      : `${at} must be { deny: 'why' }, a sentence for the model, and nothing besides`;
  }
  return members(value, at) ?? problemWithTimes(value as ApprovalOptions, at);
};

export const approvalCheck: Check = (value, at) => {
  if (typeof value === 'function') return null;
  const wrong = verdictCheck(value, at);
  return wrong === null || isObject(value) ? wrong : `${wrong}, or a policy: (call) => verdict`;
};

/** For many tools at once. */
export const toolApprovalsCheck: Check = (value, at) => {
  if (typeof value === 'function') return null;
  if (!isObject(value)) return `${at} must be a policy, (call) => verdict, or an object by tool, { git_push: true }`;
  for (const [tool, approval] of Object.entries<unknown>(value)) {
    const wrong = approvalCheck(approval, `${at}.${tool}`);
    if (wrong !== null) return wrong;
  }
  return null;
};

export const workerApprovalsCheck = membersOf<WorkerApprovals>({
  platform: toolApprovalsCheck,
  tenants: (value, at) => {
    if (!isObject(value)) return `${at} must be an object by tenant, { acme: { git_push: true } }`;
    const wrong = Object.entries<unknown>(value).map(([tenant, each]) => toolApprovalsCheck(each, `${at}.${tenant}`));
    return wrong.find((each) => each !== null) ?? null;
  },
});

/** Options that cannot come to anything were meant differently. */
export function problemWithTimes(options: ApprovalOptions, at: string): string | null {
  const { expires, onExpiry, escalate: up, roles: who } = options;
  if (onExpiry === 'approve' && expires === null) return `${at}.onExpiry means nothing where expires is null`;
  if (up === undefined) return null;
  if (who === undefined)
    return `${at}.escalate means nothing where anybody may decide: say with roles who may at first`;
  if (expires === undefined || expires === null || milliseconds(up.after) < milliseconds(expires)) return null;
  return `${at}.escalate.after must be sooner than expires`;
}

function alone(value: object): boolean {
  return Object.values(value).filter((member) => member !== undefined).length === 1;
}

/** Roles that something is restricted to. */
export const rolesCheck: Check = (value, at) => listOf(words)(value, at);
