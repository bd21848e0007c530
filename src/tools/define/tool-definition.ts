/**
 * The definition of a tool as a user writes it, the context of a call, and the check of a definition. The types say most of
 * it; the check is for JavaScript, and for definitions that were put together.
 */

import type { Duration } from '@temporalio/common/lib/time.js';
import type { z } from 'zod';
import {
  checkBoolean,
  checkIntegerFrom,
  checkList,
  checkMembers,
  checkNonEmptyText,
  checkOneOf,
  checkText,
  type ValueCheck,
} from '../../core/lib/check-value.js';
import type { AuditLevel, Effects, ToolView } from '../../core/model/agent.js';
import { checkAuditLevel } from '../../core/model/agent.js';
import type { Artifact } from '../../core/model/stored-content.js';
import { isSecretName } from '../../secrets/secret-provider.js';
import type { Approval } from '../approval/approval.js';
import { approvalCheck } from '../approval/check-approval.js';
import { durationCheck } from '../approval/duration.js';
import { validateSchema } from './json-schema.js';

/** What a tool is given besides its arguments. */
export interface ToolContext<Secret extends string = never> {
  /** Aborted when the chain is cancelled, the call timed out or the worker shuts down. Hand it on. */
  readonly signal: AbortSignal;
  /** The same over all attempts at this call, and over resets of its workflow. Hand it to services that take one. */
  readonly idempotencyKey: string;
  /** From 1. */
  readonly attempt: number;
  readonly chainId: string;
  /** The step that the call belongs to, from 1. */
  readonly step: number;
  readonly log: ToolLog;
  /** Tells Temporal how far the call has got. Being alive is told without it. */
  readonly heartbeat: (details?: unknown) => void;
  /** A secret that the tool declares in `secrets`. What the tool then says of it is hidden. */
  readonly secret: (name: Secret) => string;
  /**
   * Keeps what is too large for a result, or no text: a file, a picture, a table. Give back what it resolves with, or
   * name it in the result; readers find it with the call either way.
   *
   * @throws {ToolError} where the worker has no store, or the content is larger than one may be
   * @example
   * const file = await artifact('sales.csv', rows.join('\n'), { mediaType: 'text/csv' });
   * return { rows: rows.length, file };
   */
  readonly artifact: (
    name: string,
    content: string | Uint8Array | AsyncIterable<Uint8Array>,
    options?: { readonly mediaType?: string },
  ) => Promise<Artifact>;
}

export interface ToolLog {
  readonly debug: (message: string, fields?: Record<string, unknown>) => void;
  readonly info: (message: string, fields?: Record<string, unknown>) => void;
  readonly warn: (message: string, fields?: Record<string, unknown>) => void;
  readonly error: (message: string, fields?: Record<string, unknown>) => void;
}

export interface ToolDefinition<S extends z.ZodType, Secret extends string = never> {
  /** Letters, digits, `_` and `-`, at most 64; the activity's type in Temporal. */
  readonly name: string;
  /** For the model: what it does and when to use it. */
  readonly description: string;
  /** An object schema. What the model writes is checked against it before `execute` is entered. */
  readonly inputSchema: S;
  /** For the model, in words: what it gives back. */
  readonly returns?: string;
  /**
   * What happens when a call is made twice. `read`: nothing. `idempotent`: no more than once, thanks to
   * the `idempotencyKey`. `unsafe`: it happens twice, so it is never tried again by itself.
   */
  readonly effects: Effects;
  /** Whether equal questions may have different answers a moment later. Default false. */
  readonly volatile?: boolean;
  /**
   * How long an answer stands for equal calls of all chains of the same tenant, in seconds; only for a tool with
   * `effects: 'read'`. Failures are not kept, nor what made artifacts. Default: each call is made. Needs a store.
   */
  readonly cacheTtlSeconds?: number;
  /**
   * Another version has answers of its own. Default: a digest of the definition, so a change of the code alone needs one;
   * so do two tools of one name and definition that are different all the same.
   */
  readonly version?: string;
  /** For one attempt: milliseconds or `'90s'`. Default one minute. */
  readonly timeout?: Duration;
  /** Without a sign of life: milliseconds or `'10s'`. Default 10 seconds. */
  readonly heartbeat?: Duration;
  /** How often a call that may be repeated is tried. Default 3 attempts, the second after a second. */
  readonly retry?: { readonly attempts?: number; readonly backoff?: Duration };
  /**
   * How its calls are shown to people, where the configuration says nothing else. The model sees nothing of it.
   * Arguments that the schema marks with `.meta({ sensitive: true })` are added to `sensitive`.
   */
  readonly view?: ToolView;
  /**
   * How much of its calls the audit log holds: `none`, `basic` (that it was called, how it ended, digests) or `full`
   * (arguments and result too). Default: as the worker says, which is `full`. A tenant may ask for more.
   */
  readonly audit?: AuditLevel;
  /**
   * Whether a person has to approve a call before it is run: true, false, how they are asked, or a policy that looks at
   * the call. Default: an unsafe tool needs approval, others do not. Those who run it may ask for more than it says.
   */
  readonly approval?: Approval<z.input<S>>;
  /**
   * Names of the secrets that it needs: keys, tokens, passwords. They are read anew for each call; where one is not there,
   * `execute` is not entered.
   */
  readonly secrets?: readonly Secret[];
  /** Gives back JSON. May throw `ToolError` for the model to react to, and `NotDone`. */
  readonly execute: (input: z.output<S>, context: ToolContext<Secret>) => unknown;
}

const secretNameCheck: ValueCheck = (value, at) =>
  isSecretName(value) ? null : `${at} must be a name of letters, digits, _, - and dots, such as 'STRIPE_KEY'`;

/** Looked at where it is taken apart. */
const checkedElsewhere: ValueCheck = () => null;

const checks = {
  name: checkedElsewhere,
  description: (value: unknown) =>
    checkNonEmptyText(value, '') === null
      ? null
      : 'write a description: it is all that tells the model when to use the tool',
  inputSchema: validateSchema,
  returns: checkText,
  effects: (value: unknown) =>
    checkOneOf(['read', 'idempotent', 'unsafe'], value, '') === null
      ? null
      : "say with `effects` what a second call would do: 'read', 'idempotent' or 'unsafe'",
  volatile: checkBoolean,
  cacheTtlSeconds: checkIntegerFrom(1),
  version: checkText,
  timeout: durationCheck,
  heartbeat: durationCheck,
  retry: checkMembers<NonNullable<ToolDefinition<never>['retry']>>({
    attempts: checkIntegerFrom(1),
    backoff: durationCheck,
  }),
  view: checkedElsewhere,
  audit: checkAuditLevel,
  approval: approvalCheck,
  secrets: checkList(secretNameCheck),
  execute: (value: unknown) => (typeof value === 'function' ? null : 'write `execute`, the function that does it'),
} satisfies { readonly [member in keyof Required<ToolDefinition<never>>]: ValueCheck };

const definitionCheck = checkMembers<ToolDefinition<never>>(checks, [
  'retry.attempts',
  'retry.backoff',
  'view.sensitive',
  'approval.roles',
]);

/** What is wrong, as a sentence without its full stop, or null. */
export function validateTool(definition: object): string | null {
  const { description, effects, execute, inputSchema }: Partial<ToolDefinition<never>> = definition;
  return (
    definitionCheck(definition, '') ??
    checks.description(description) ??
    checks.effects(effects) ??
    checks.execute(execute) ??
    checks.inputSchema(inputSchema, 'inputSchema')
  );
}
