/** Whether a value is the definition of a tool. Types say most of it; this is for JavaScript, and for what was put together. */

import { type Check, listOf, membersOf, oneOf, text, wholeFrom, words, yesOrNo } from '../../core/lib/check-value.js';
import { auditLevelCheck } from '../../core/model/agent.js';
import { isSecretName } from '../../secrets/secret-provider.js';
import { approvalCheck } from '../approval/check-approval.js';
import { duration } from '../approval/duration.js';
import { problemWithSchema } from './json-schema.js';
import type { ToolDefinition } from './tool-definition.js';

const secretName: Check = (value, at) =>
  isSecretName(value) ? null : `${at} must be a name of letters, digits, _, - and dots, such as 'STRIPE_KEY'`;

/** Looked at where it is taken apart. */
const elsewhere: Check = () => null;

const checks = {
  name: elsewhere,
  description: (value: unknown) =>
    words(value, '') === null ? null : 'write a description: it is all that tells the model when to use the tool',
  input: problemWithSchema,
  returns: text,
  effects: (value: unknown) =>
    oneOf(['read', 'idempotent', 'unsafe'], value, '') === null
      ? null
      : "say with `effects` what a second call would do: 'read', 'idempotent' or 'unsafe'",
  volatile: yesOrNo,
  cacheTtlSeconds: wholeFrom(1),
  version: text,
  timeout: duration,
  heartbeat: duration,
  retry: membersOf<NonNullable<ToolDefinition<never>['retry']>>({ attempts: wholeFrom(1), backoff: duration }),
  view: elsewhere,
  audit: auditLevelCheck,
  approval: approvalCheck,
  secrets: listOf(secretName),
  run: (value: unknown) => (typeof value === 'function' ? null : 'write `run`, the function that does it'),
} satisfies { readonly [member in keyof Required<ToolDefinition<never>>]: Check };

const members = membersOf<ToolDefinition<never>>(checks, [
  'retry.attempts',
  'retry.backoff',
  'view.sensitive',
  'approval.roles',
]);

/** What is wrong, as a sentence without its full stop, or null. */
export function problemWithTool(definition: object): string | null {
  const { description, effects, run, input }: Partial<ToolDefinition<never>> = definition;
  return (
    members(definition, '') ??
    checks.description(description) ??
    checks.effects(effects) ??
    checks.run(run) ??
    checks.input(input, 'input')
  );
}
