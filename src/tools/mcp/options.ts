/** Options of `mcpTools`, and their checks. */

import { check, isObject } from '../../core/lib/index.js';
import { checkDuration, type Duration } from '../../options/index.js';
import { isSecretName } from '../../secrets/index.js';
import type { ToolOverrides } from '../adapters/index.js';
import { type PersonQuestion, questionRuleChecks } from '../define/index.js';

/** A secret of the worker, by its name. */
export interface McpSecret {
  readonly secret: string;
  /** Written before the secret, such as `'Bearer '`. */
  readonly prefix?: string | undefined;
}

/** A text, or a secret. */
export type McpValue = string | McpSecret;

/** True, or who answers the questions of a server, and how long they have. */
export type McpElicitation = true | Pick<PersonQuestion, 'roles' | 'byRequester' | 'expires' | 'escalate'>;

/** The model that a server may ask, and how much. */
export interface McpSampling {
  /** Alias or id of a model of the worker. */
  readonly model: string;
  /** Most output tokens of one answer. Default 1,024. */
  readonly maxTokens?: number | undefined;
  /** Most bytes of one request, in UTF-8. Default 16,000. */
  readonly maxBytes?: number | undefined;
  /** Most requests of one call. Default 1. */
  readonly requests?: number | undefined;
}

interface McpCommonOptions {
  /** Letters, digits and `_`, at most 30: the start of the names of its tools, `<name>_<tool>`. */
  readonly name: string;
  /** Put before each name of a tool. Default: the name and `_`. */
  readonly prefix?: string | undefined;
  /** Only these tools, by their names on the server. Default: all. */
  readonly only?: readonly string[] | undefined;
  /** For all tools. */
  readonly all?: ToolOverrides | undefined;
  /** For single tools, by their names on the server. They precede those for all. */
  readonly tools?: { readonly [name: string]: ToolOverrides } | undefined;
  /**
   * Whether the annotations of the server count; they are only claims. `none`: all tools are `unsafe`, so each call needs approval,
   * unless `all` or `tools` state other effects. `annotations`, for servers that you know: `readOnlyHint` makes a tool a `read`,
   * `destructiveHint: false` with `idempotentHint` makes it `idempotent`, and a tool without annotations is `unsafe`. Default `none`.
   */
  readonly trust?: 'annotations' | 'none' | undefined;
  /** Whether chains start without its tools where the server cannot be reached. Default false: they wait. */
  readonly optional?: boolean | undefined;
  /** Whether the model gets tools that list and read the resources of the server. Default false. */
  readonly resources?: boolean | undefined;
  /** Whether the model gets tools that list and read the prompts of the server. Default false. */
  readonly prompts?: boolean | undefined;
  /**
   * Whether the server may ask a person in the middle of a call (elicitation). The chain then waits for the answer, and the call runs
   * again from its start with it. Rules state who may answer. Calls of the source run one at a time. Default: it may not.
   */
  readonly elicitation?: McpElicitation | undefined;
  /**
   * Whether the server may ask a model in the middle of a call (sampling), within the budget of the chain: its maximum cost is
   * reserved for each call of the source. Calls run one at a time. Default: it may not.
   */
  readonly sampling?: McpSampling | undefined;
  /** The longest time to connect and to list the tools: milliseconds or `'10s'`, at most 12 seconds. Default 10 seconds. */
  readonly connectTimeout?: Duration | undefined;
  /** Bytes of one message of the server. A larger one ends the connection. Default 10 MB. */
  readonly maxBytes?: number | undefined;
}

/** A server that the worker starts as a process, and speaks to over its standard input and output. */
export interface McpCommandOptions extends McpCommonOptions {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Its environment, in addition to HOME, LOGNAME, PATH, SHELL, TERM and USER. It gets no other variable of the worker. */
  readonly env?: { readonly [name: string]: McpValue } | undefined;
  /** Its working directory. Default: that of the worker. */
  readonly cwd?: string | undefined;
}

/** A server at a URL, over streamable HTTP. */
export interface McpUrlOptions extends McpCommonOptions {
  readonly url: string;
  /** Headers of each request: `{ authorization: { secret: 'CRM_TOKEN', prefix: 'Bearer ' } }`. */
  readonly headers?: { readonly [name: string]: McpValue } | undefined;
  /** OAuth with client credentials: the worker gets tokens itself. */
  readonly auth?: McpClientCredentials | undefined;
}

/** OAuth 2.1 with the grant `client_credentials`. */
export interface McpClientCredentials {
  readonly clientId: string;
  readonly clientSecret: McpSecret;
  /** URL of the authorization server: the secret is sent to no other. */
  readonly issuer: string;
  /** Separated by blanks. */
  readonly scope?: string | undefined;
}

export type McpOptions = McpCommandOptions | McpUrlOptions;

/** Checked options. */
export interface McpSettings {
  readonly options: McpOptions;
  readonly prefix: string;
  readonly connectMs: number;
}

export const mcpDefaults = {
  connectTimeoutMs: 10_000,
  longestConnectMs: 12_000,
  maxBytes: 10_000_000,
  trust: 'none',
} as const;

export const samplingDefaults = { maxTokens: 1_024, maxBytes: 16_000, requests: 1 } as const;

const isSecret = check.refine(
  check.members<McpSecret>({ secret: check.define(isSecretName, 'must be the name of a secret'), prefix: check.text }),
  ({ secret }) => secret !== undefined,
  'needs the name of a secret',
).is;

const checkSecret = check.define(isSecret, "must be { secret: 'NAME' } with the name of a secret");

const checkValues = check.record(
  check.define(
    (value) => typeof value === 'string' || isSecret(value),
    "must be a text, or { secret: 'NAME' } with the name of a secret",
  ),
);

const checkUrl = check.define(
  (value) => typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value),
  'must be a URL that begins with https:// or http://',
);

const checkElicitation = check.members<Exclude<McpElicitation, true>>(questionRuleChecks);

const checkSampling = check.refine(
  check.members<McpSampling>({
    model: check.nonEmptyText,
    maxTokens: check.integerFrom(1),
    maxBytes: check.integerWithin(1, 1_000_000),
    requests: check.integerWithin(1, 10),
  }),
  ({ model }) => model !== undefined,
  'needs `model`, an alias or an id',
);

const common = {
  name: check.pattern(
    /^[A-Za-z_][A-Za-z0-9_]{0,29}$/,
    'must begin with a letter or _ and contain only letters, digits and _, at most 30',
  ),
  prefix: check.pattern(
    /^[A-Za-z_][A-Za-z0-9_-]{0,39}$/,
    'must begin with a letter or _ and contain only letters, digits, _ and -, at most 40',
  ),
  only: check.list(check.nonEmptyText),
  all: check.anything,
  tools: check.define(isObject, 'must be an object, by names of tools'),
  trust: check.oneOf(['annotations', 'none']),
  optional: check.boolean,
  resources: check.boolean,
  prompts: check.boolean,
  elicitation: (value: unknown, at: string) => (value === true ? null : checkElicitation(value, at)),
  sampling: checkSampling,
  connectTimeout: checkDuration,
  maxBytes: check.integerWithin(1_000, 100_000_000),
};

const checkCommand = check.members<McpCommandOptions>({
  ...common,
  command: check.nonEmptyText,
  args: check.list(check.text),
  env: checkValues,
  cwd: check.nonEmptyText,
});

const checkServer = check.members<McpUrlOptions>({
  ...common,
  url: checkUrl,
  headers: checkValues,
  auth: check.members<McpClientCredentials>({
    clientId: check.nonEmptyText,
    clientSecret: checkSecret,
    issuer: checkUrl,
    scope: check.text,
  }),
});

/** Returns what is wrong with options, as a sentence without its full stop, or null. */
export function validateMcpOptions(options: unknown): string | null {
  if (!isObject(options)) return 'expected an object';
  const isCommand = 'command' in options;
  if (isCommand === 'url' in options) return 'expected either `command`, of a program, or `url`, of a server';
  const problem = (isCommand ? checkCommand : checkServer)(options, '');
  if (problem !== null) return problem;
  const costing = [options.all, ...Object.values(isObject(options.tools) ? options.tools : {})];
  if (options.sampling !== undefined && costing.some((rule) => isObject(rule) && rule.cost !== undefined))
    return '`cost` cannot be set with `sampling`, by which calls cost what the model costs';
  if (options.name === undefined) return 'name is missing: it is the start of the names of its tools';
  if (
    isObject(options.auth) &&
    (options.auth.clientId === undefined ||
      options.auth.issuer === undefined ||
      options.auth.clientSecret === undefined)
  )
    return 'auth needs clientId, clientSecret and issuer';
  return null;
}
