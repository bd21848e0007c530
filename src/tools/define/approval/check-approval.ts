/** Validates approval settings. They come from files and plain JavaScript, and a misread one lets calls execute. */

import { check, findOwn, formatCount, formatLongDuration, isObject } from '../../../core/lib/index.js';
import { defaults } from '../../../core/model/index.js';
import { checkDuration, toMilliseconds } from '../../../options/index.js';
import { type ApprovalOptions, maxPolicyLength, type WorkerApprovals, type WrittenPolicy } from './approval.js';

const checkDecidingRoles = check.define(
  (value) => Array.isArray(value) && value.length > 0 && value.every(check.nonEmptyText.is),
  "must be a list of roles, such as ['release-manager']; leave it out if any person may decide",
);

const checkEscalationMembers = check.members<NonNullable<ApprovalOptions['escalate']>>({
  after: checkDuration,
  roles: checkDecidingRoles,
});
const checkEscalation: check.ValueCheck = (value, at) => {
  const { after, roles: to } = isObject(value) ? value : {};
  if (after === undefined || to === undefined)
    return `${at} must have a time and roles: { after: '2h', roles: ['lead'] }`;
  return checkEscalationMembers(value, at);
};

const approvalOptionChecks = {
  reason: check.nonEmptyText,
  risk: check.oneOf(['low', 'medium', 'high']),
  roles: checkDecidingRoles,
  approvers: check.integerFrom(1),
  byRequester: check.boolean,
  expires: (value: unknown, at: string) =>
    value === null || checkDuration(value, at) === null ? null : `${checkDuration(value, at)}, or null for no expiry`,
  onExpiry: check.oneOf(['deny', 'approve']),
  escalate: checkEscalation,
} satisfies { readonly [member in keyof Required<ApprovalOptions>]: check.ValueCheck };

const { roles, byRequester, expires, escalate } = approvalOptionChecks;
/** The checks of the rules that questions have too. */
export const questionRuleChecks = { roles, byRequester, expires, escalate };

const checkApprovalOptions = check.members<ApprovalOptions>(approvalOptionChecks);

/** Checks a verdict of a tool, an entry of a map or a policy. */
export const checkVerdict: check.ValueCheck = (value, at) => {
  if (value === undefined || value === null || typeof value === 'boolean') return null;
  if (!isObject(value)) {
    return `${at} must be true, false, { grant: true }, { deny: 'why' }, { end: 'why' }, or options such as { reason: 'why', roles: ['lead'] }`;
  }
  if (findOwn(value, 'grant') !== undefined) {
    return value.grant === true && hasOneMember(value) ? null : `${at} must be exactly { grant: true }`;
  }
  for (const [kind, reader] of [
    ['deny', 'the model'],
    ['end', 'people'],
  ] as const) {
    const reason = findOwn(value, kind);
    if (reason === undefined) continue;
    const isExact = check.nonEmptyText.is(reason) && hasOneMember(value);
    return isExact ? null : `${at} must be exactly { ${kind}: 'why' }, with a sentence for ${reader}`;
  }
  return checkApprovalOptions(value, at) ?? validateTimes(value as ApprovalOptions, at);
};

export const checkApproval: check.ValueCheck = (value, at) => {
  if (typeof value === 'function') return null;
  const problem = checkVerdict(value, at);
  return problem === null || isObject(value) ? problem : `${problem}, or a policy: (call) => verdict`;
};

/** Checks the approvals of many tools. */
export const checkToolApprovals: check.ValueCheck = (value, at) =>
  typeof value === 'function' ? null : checkApprovalsByTool(value, at);

const checkApprovalsByTool = check.record(
  checkApproval,
  'a policy, (call) => verdict, or an object by tool, { git_push: true }',
);

const checkPolicyMembers = check.members<WrittenPolicy>({
  text: check.define(
    (value) => check.nonEmptyText.is(value) && value.length <= maxPolicyLength,
    `must be a text of at most ${formatCount(maxPolicyLength)} characters`,
  ),
  model: check.nonEmptyText,
  agents: check.define(
    checkDecidingRoles.is,
    "must be a list of agents, such as ['loan_officer']; leave it out for all",
  ),
  roles: checkDecidingRoles,
});

export const checkWorkerApprovals = check.members<WorkerApprovals>({
  platform: checkToolApprovals,
  tenants: check.record(checkToolApprovals, 'an object by tenant, { acme: { git_push: true } }'),
  policy: (value, at) =>
    isObject(value) && (value.text === undefined || value.model === undefined)
      ? `${at} must have a text and a model: { text: 'Do no harm.', model: 'claude-haiku-5-5' }`
      : checkPolicyMembers(value, at),
});

/** Returns the first option that can have no effect, or null: its author meant something else. */
export function validateTimes(options: ApprovalOptions, at: string): string | null {
  const { expires, onExpiry, escalate, roles } = options;
  if (onExpiry === 'approve' && expires === null) return `${at}.onExpiry has no effect if expires is null`;
  if (escalate === undefined) return null;
  if (roles === undefined) return `${at}.escalate has no effect without roles: add the roles that may decide first`;
  if (expires === null || toMilliseconds(escalate.after) < toMilliseconds(expires ?? defaults.requestExpiryMs))
    return null;
  const expiry =
    expires === undefined ? `the default of expires, ${formatLongDuration(defaults.requestExpiryMs)}` : 'expires';
  return `${at}.escalate.after must be sooner than ${expiry}`;
}

function hasOneMember(value: object): boolean {
  return Object.values(value).filter((member) => member !== undefined).length === 1;
}

/** An empty list would permit the tool to nobody, or to everybody. */
export const checkToolRoles = check.define(
  checkDecidingRoles.is,
  "must be a list of roles, such as ['treasury']; leave it out if every chain may have the tool called",
);

/** Checks a list of roles; it may be empty. */
export const checkRoles = check.list(check.nonEmptyText);
