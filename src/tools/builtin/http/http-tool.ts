/** The common part of the HTTP tools: their options, their client, and how a failed request is reported to the chain. */

import { check, omitUndefined, toErrorMessage } from '../../../core/lib/index.js';
import { type AuditLevel, checkAuditLevel, type Effects, type ToolView } from '../../../core/model/index.js';
import { checkDuration, type Duration, toMilliseconds } from '../../../options/index.js';
import { type Approval, NotDone, type ToolDefinition, ToolError } from '../../define/index.js';
import {
  createHttpClient,
  type HostRule,
  type HttpClient,
  HttpFailure,
  type LookupHost,
  parseHostRules,
} from '../../http/index.js';

/** Options of all HTTP tools. */
export interface HttpToolOptions
  extends Pick<ToolDefinition<never>, 'cacheTtl' | 'dataClass' | 'retry' | 'roles' | 'version'> {
  /** For the model: when to call the tool. */
  readonly description?: string | undefined;
  /**
   * Hosts that may have addresses that are not public, by their names: `['wiki.internal', 'build.internal:8080']`. They need no
   * entry in `allow`. Link-local addresses and metadata services of clouds are never requested.
   */
  readonly allowPrivate?: readonly string[] | undefined;
  /** Most bytes of a response, decompressed. */
  readonly maxBytes?: number | undefined;
  /** The time of one attempt, redirects and body included. Default 30 seconds. */
  readonly timeout?: Duration | undefined;
  /** The longest time in which a server sends nothing. Default 10 seconds. */
  readonly idleTimeout?: Duration | undefined;
  /** Most redirects that are followed, each to an allowed host. Default 5. */
  readonly maxRedirects?: number | undefined;
  /** Looks hosts up. Its addresses are checked. Default: the system's resolver. */
  readonly lookup?: LookupHost | undefined;
  /** Which calls need approval. Default: those of a tool that is unsafe. */
  readonly approval?: Approval<unknown> | undefined;
  /** How its calls are shown to people. */
  readonly view?: ToolView | undefined;
  readonly audit?: AuditLevel | undefined;
}

const mostBytes = 64_000_000;

/** The members that `defineTool` checks are left to it. */
export const httpToolChecks = {
  name: check.anything,
  description: check.nonEmptyText,
  allow: check.list(check.nonEmptyText),
  allowPrivate: check.list(check.nonEmptyText),
  maxBytes: check.integerWithin(1, mostBytes),
  timeout: checkDuration,
  idleTimeout: checkDuration,
  maxRedirects: check.integerWithin(0, 20),
  lookup: check.callable,
  ...check.elsewhere('approval', 'view'),
  audit: checkAuditLevel,
  ...check.elsewhere('cacheTtl', 'dataClass', 'retry', 'roles', 'version'),
} satisfies { readonly [name in keyof HttpToolOptions | 'name' | 'allow']: check.ValueCheck };

export interface HttpToolParts {
  readonly client: HttpClient;
  readonly rules: readonly HostRule[];
}

interface ClientDefaults {
  readonly allow: readonly string[];
  readonly maxBytes: number;
}

/** Returns the client of a tool, or what is wrong with its lists of hosts. */
export function createToolClient(
  options: HttpToolOptions,
  { allow, maxBytes }: ClientDefaults,
): HttpToolParts | string {
  const { allowPrivate = [] } = options;
  if (allow.length + allowPrivate.length === 0) return 'allow must name a host, such as api.example.com';
  const parsed = parseHostRules(allow, allowPrivate);
  if ('problem' in parsed) return parsed.problem;
  const client = createHttpClient({
    rules: parsed.rules,
    maxBytes: options.maxBytes ?? maxBytes,
    timeoutMs: toMilliseconds(options.timeout ?? defaultTimeoutMs),
    idleMs: toMilliseconds(options.idleTimeout ?? defaultIdleMs),
    maxRedirects: options.maxRedirects ?? defaultMaxRedirects,
    lookup: options.lookup,
  });
  return { client, rules: parsed.rules };
}

const defaultTimeoutMs = 30_000;
const defaultIdleMs = 10_000;
const defaultMaxRedirects = 5;
/** The client reports its own time limit: Temporal's must not be reached first. */
const extraMs = 5_000;

/** Picks the options that `defineTool` takes unchanged. */
export function toHttpDefinitionPart(options: HttpToolOptions) {
  const { approval, cacheTtl, dataClass, retry, roles, version, audit } = options;
  return {
    timeout: toMilliseconds(options.timeout ?? defaultTimeoutMs) + extraMs,
    ...omitUndefined({ approval, cacheTtl, dataClass, retry, roles, version, audit }),
  };
}

/** A request that failed, and the tool that made it. */
export interface FailedRequest {
  /** Of the tool. */
  readonly effects: Effects;
  /** Whether the request itself may have changed something. */
  readonly hadEffect: boolean;
  readonly signal: AbortSignal;
}

/**
 * Returns the error for the chain. L5: of an unsafe tool, a request is `NotDone` if it was certainly not sent, or if its method
 * has no effect. With another failure of a GET, the chain would wait for a person, who has nothing to resolve.
 */
export function toToolFailure(error: unknown, { effects, hadEffect, signal }: FailedRequest): unknown {
  if (effects === 'unsafe' && !hadEffect) return toNotDone(error, signal);
  if (!(error instanceof HttpFailure)) return error;
  const { code, message, isTemporary, sent } = error;
  if (code === 'cancelled' && effects !== 'unsafe') return signal.reason;
  if (!sent && (effects === 'unsafe' || !isTemporary)) return new NotDone(`${message} Nothing was sent.`);
  if (isTemporary) return Object.assign(new Error(message), { code });
  return new ToolError(message);
}

function toNotDone(error: unknown, signal: AbortSignal): NotDone {
  if (error instanceof NotDone) return error;
  if (error instanceof HttpFailure && !error.sent) return new NotDone(`${error.message} Nothing was sent.`);
  const message = signal.aborted ? 'The request was cancelled.' : toErrorMessage(error);
  return new NotDone(`${message} The request changed nothing.`, { cause: error });
}
