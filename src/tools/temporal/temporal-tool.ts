/** What `activityTool` and `workflowTool` share: a tool whose code is elsewhere, in any language. */

import { check, isObject, omitUndefined } from '../../core/lib/index.js';
import { type ArgumentForm, checkArgumentForm, type ToolRun } from '../../core/model/index.js';
import {
  checkTaskQueue,
  createDefinitionErrorFactory,
  type DefinitionErrorFactory,
  defineTool,
  listExplicitOptions,
  NotDone,
  type SchemaInput,
  type Tool,
  type ToolDefinition,
  type ToolSchema,
  toToolQueue,
} from '../define/index.js';

/** The members of a tool's definition that hold wherever it runs. */
type SharedDefinition<S extends ToolSchema> = Pick<
  ToolDefinition<S>,
  | 'name'
  | 'description'
  | 'inputSchema'
  | 'outputSchema'
  | 'returns'
  | 'effects'
  | 'timeout'
  | 'queueTimeout'
  | 'kind'
  | 'view'
  | 'audit'
  | 'dataClass'
  | 'approval'
  | 'roles'
>;

export interface TemporalToolDefinition<S extends ToolSchema> extends SharedDefinition<S> {
  /** The task queue of the workers that have it. */
  readonly taskQueue: string;
  /**
   * How the arguments are passed: `object` as one JSON object, a list of names as arguments by position. Default `object`.
   */
  readonly args?: 'object' | readonly (keyof SchemaInput<S> & string)[];
  /**
   * Whether a last argument follows: `{ idempotencyKey, chainId, call, step, tenant, user, roles }`. Default false.
   */
  readonly context?: boolean;
}

/** Members of other tools, and why these cannot have them. */
const impossible: Readonly<Record<string, string>> = {
  execute: 'its code is elsewhere',
  cacheTtl: 'its results are not stored by a worker of Longhand',
  version: 'its results are not stored by a worker of Longhand',
  secrets: 'a worker of Longhand cannot pass secrets without writing them into the history',
};

/** Checks of the members that `defineTool` does not check. */
const foreignChecks = {
  taskQueue: checkTaskQueue,
  args: checkArgumentForm,
  context: check.boolean,
};

interface TemporalTool<S extends ToolSchema> {
  readonly by: 'activityTool' | 'workflowTool';
  readonly definition: TemporalToolDefinition<S>;
  /** Checks of the members that only this kind has. */
  readonly checks: check.MemberChecks<Record<string, unknown>>;
  /** Milliseconds without `timeout`. */
  readonly timeoutMs: number;
  /** Members of `defineTool` that only this kind has. */
  readonly added?: Pick<ToolDefinition<S>, 'retry'>;
  readonly toRun: (shared: { readonly args: ArgumentForm; readonly context: boolean }) => ToolRun;
}

/** @throws {LonghandError} `invalid_tool` */
export function defineTemporalTool<S extends ToolSchema>(tool: TemporalTool<S>): Tool {
  const { by, definition, timeoutMs, added, toRun } = tool;
  const createError = createDefinitionErrorFactory(by, definition);
  checkForeign(tool, createError);
  const { name, taskQueue, queueTimeout, args = 'object', context = false } = definition;
  const {
    description,
    inputSchema,
    outputSchema,
    returns,
    effects,
    timeout,
    kind,
    view,
    audit,
    dataClass,
    approval,
    roles,
  } = definition;
  const members = { outputSchema, returns, kind, view, audit, dataClass, approval, roles, ...added };
  const defined = defineTool({
    ...(omitUndefined(members) as Pick<ToolDefinition<S>, 'returns'>),
    ...{ name, description, inputSchema, effects },
    timeout: timeout ?? timeoutMs,
    execute: () => {
      throw new NotDone(`${name} was a tool of Longhand's workers when the chain started. Start a new chain.`);
    },
  });
  const { snapshot, validateInput, parse } = defined;
  checkArgumentNames(args, snapshot.inputSchema.properties, createError);
  return {
    name,
    snapshot: { ...snapshot, queue: toToolQueue(taskQueue, queueTimeout), runs: toRun({ args, context }) },
    validateInput,
    parse,
    explicitOptions: listExplicitOptions(definition),
    ...omitUndefined({ approval: defined.approval }),
  };
}

function checkForeign<S extends ToolSchema>(
  { definition, checks }: TemporalTool<S>,
  createError: DefinitionErrorFactory,
) {
  for (const [member, why] of Object.entries(impossible)) {
    if (member in definition) throw createError(`\`${member}\` is not possible here: ${why}. Remove it.`);
  }
  const problem = check.members<Record<string, unknown>>({ ...sharedChecks, ...foreignChecks, ...checks })(
    definition,
    '',
  );
  if (problem !== null) throw createError(`${problem}.`);
  if (definition.taskQueue === undefined)
    throw createError('`taskQueue` is missing: the queue of the workers that have it.');
}

/** `defineTool` checks them. */
const sharedChecks: check.MemberChecks<Record<keyof SharedDefinition<ToolSchema>, unknown>> = {
  ...check.elsewhere(
    'name',
    'description',
    'inputSchema',
    'outputSchema',
    'returns',
    'effects',
    'timeout',
    'queueTimeout',
    'kind',
    'view',
    'audit',
    'dataClass',
    'approval',
    'roles',
  ),
};

function checkArgumentNames(args: ArgumentForm, properties: unknown, createError: DefinitionErrorFactory): void {
  if (args === 'object') return;
  const known = isObject(properties) ? Object.keys(properties) : [];
  const unknown = args.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw createError(
      `\`args\` names ${JSON.stringify(unknown)}, but inputSchema has ${known.join(', ') || 'no members'}.`,
    );
  const lost = known.find((name) => !args.includes(name));
  if (lost !== undefined) throw createError(`\`args\` must name each member of inputSchema: ${lost} is missing.`);
}
