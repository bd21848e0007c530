/** What a call runs where that is not a tool of Longhand's own workers: an activity or a workflow of the user, in any language. */

import { check, isObject, type Json } from '../lib/index.js';

/** `object`: all arguments as one value. A list: the named arguments by position, null for those that a call leaves out. */
export type ArgumentForm = 'object' | readonly string[];

interface RunArguments {
  readonly args: ArgumentForm;
  /** Whether a `ForeignCallContext` follows the arguments. */
  readonly context: boolean;
}

export interface ActivityRun extends RunArguments {
  readonly kind: 'activity';
  /** The activity's type. */
  readonly activity: string;
  /** Milliseconds without a heartbeat after which an attempt counts as lost; null if the activity sends none. */
  readonly heartbeatMs: number | null;
}

export interface WorkflowRun extends RunArguments {
  readonly kind: 'workflow';
  /** The workflow's type. */
  readonly workflow: string;
}

export type ToolRun = ActivityRun | WorkflowRun;

/** The last argument of an activity or a workflow that is called with its context. */
export interface ForeignCallContext {
  /** The same for all attempts of the call, also after a reset of the chain. */
  readonly idempotencyKey: string;
  readonly chainId: string;
  /** The call's place in the chain: `3.1`. */
  readonly call: string;
  readonly step: number;
  readonly tenant: string | null;
  readonly user: string | null;
  readonly roles: readonly string[];
}

export const checkArgumentForm = check.define<ArgumentForm>(
  (value) => value === 'object' || check.texts.is(value),
  "must be 'object', or a list of the names of arguments",
);

const runArguments = { args: checkArgumentForm, context: check.boolean };

export const checkToolRun = check.variant<Omit<ToolRun, 'kind'>>('kind', {
  workflow: check.shape({ workflow: check.text, ...runArguments }),
  activity: check.shape({ activity: check.text, heartbeatMs: check.nullable(check.fromZero), ...runArguments }),
});

export function toRunArguments({ args, context }: RunArguments, input: Json, added: ForeignCallContext): Json[] {
  const values = args === 'object' ? [input] : args.map((name) => (isObject(input) ? (input[name] ?? null) : null));
  return context ? [...values, { ...added }] : values;
}
