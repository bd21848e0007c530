/** Validates the definition of an agent: for JavaScript, and for rules that types cannot express. */

import { check, findNearest, findOwn, formatCount, isObject } from '../core/lib/index.js';
import {
  type CommandPermissions,
  checkName,
  modelRoles,
  type PlanOptions,
  promptParts,
  type ReactOptions,
  type Reflection,
  type ToolsOptions,
} from '../core/model/index.js';
import { planDefaults, reactDefaults, reflectionDefaults } from '../core/strategies/index.js';
import { checkDuration, checkLimitOptions, checkRate, limitOptionNames } from '../options/index.js';
import {
  checkRoles,
  checkSummaryOptions,
  checkToolApprovals,
  codeApprovals,
  isToolSource,
  questionRuleChecks,
  type Tool,
  type ToolSource,
  validateSchema,
} from '../tools/define/index.js';
import {
  type AgentDefinition,
  type AskOptions,
  isAgent,
  type ModelRetryOptions,
  type StrategyChoice,
} from './agent-definition.js';
import { checkExamples } from './check-examples.js';
import { checkStopSequences, checkVersion, isOwnStrategy } from './define-strategy.js';

const checkTag = check.pattern(
  /^\p{L}([\p{L}\p{N} _-]{0,29}[\p{L}\p{N}])?$/u,
  (value) => `${JSON.stringify(value)} must be one or two words without a colon`,
);

const checkReact = check.members<ReactOptions>({
  name: check.anything,
  thoughtPrompt: check.text,
  requireThought: check.boolean,
  minThoughtLength: check.integerFrom(0),
  thoughtTag: checkTag,
  actionTag: checkTag,
  observationTag: checkTag,
  scratchpad: check.boolean,
  multipleActions: check.boolean,
  examples: checkExamples,
  canFail: check.boolean,
});

const strategyChecks: Readonly<Record<'react' | 'tools' | 'autonomous' | 'plan', check.ValueCheck>> = {
  react: (value, at) => checkReact(value, at) ?? validateTags(value as Partial<ReactOptions>, at),
  tools: check.members<ToolsOptions>({ name: check.anything, canFail: check.boolean }),
  autonomous: check.members<Extract<StrategyChoice, { name: 'autonomous' }>>({
    name: check.anything,
    finishToolName: checkName,
    finishToolDescription: check.nonEmptyText,
    canFail: check.boolean,
  }),
  plan: check.members<PlanOptions>({
    name: check.anything,
    planning: check.boolean,
    reflection: check.boolean,
    reflectEvery: check.integerFrom(1),
    parallel: check.integerFrom(1),
    fallbacks: check.list(check.oneOf(planDefaults.fallbacks)),
    reuse: check.define(
      (value) => value === null || check.nonEmptyText.is(value),
      "must be a version such as 'v1', or null to disable the reuse of plans",
    ),
    reuseSimilarity: check.define(
      (value) => typeof value === 'number' && value >= 0 && value <= 1,
      'must be a number from 0 to 1',
    ),
    confirmReuse: check.boolean,
    requireThought: check.boolean,
  }),
};

const checkStrategy: check.ValueCheck = (value, at) => {
  if (isOwnStrategy(value)) return null;
  const options: unknown = typeof value === 'string' ? { name: value } : value;
  const name = isObject(options) && typeof options.name === 'string' ? options.name : '';
  const check = findOwn<check.ValueCheck>(strategyChecks, name);
  if (check !== undefined) return check(options, at);
  return `${at} must be 'react', 'tools', 'autonomous' or 'plan', or one of these with options, as { name: 'react', scratchpad: false }, or a strategy of defineStrategy`;
};

/** Rejects labels that differ only in case or spacing: the parser could not distinguish them. */
function validateTags(options: Partial<ReactOptions>, at: string): string | null {
  const {
    thoughtTag = reactDefaults.thoughtTag,
    actionTag = reactDefaults.actionTag,
    observationTag = reactDefaults.observationTag,
  } = options;
  const taken = [`${actionTag} Input`, 'Final Answer', 'Scratchpad', 'Cannot Complete'];
  const tags = [thoughtTag, actionTag, observationTag, ...taken];
  const read = tags.map((tag) => tag.replace(/[\s_-]/g, '').toLowerCase());
  const twice = tags.find((_, index) => read.indexOf(read[index] ?? '') !== index);
  if (twice === undefined) return null;
  return `${at} has two labels ${JSON.stringify(twice)}: give thoughtTag, actionTag and observationTag different words, and not ${taken.join(', ')}`;
}

const isTool = check.shape({ snapshot: check.object, parse: check.callable }).is;

const checkTool = check.define(
  (value) => isTool(value) || isAgent(value) || isToolSource(value),
  'must be a tool (defineTool({ … })), an agent (defineAgent({ … })) or a source of tools (mcpTools({ … }))',
);

const checkAskOptions = check.members<AskOptions>({
  expires: questionRuleChecks.expires,
  roles: questionRuleChecks.roles,
});

export const checkModelRetry = check.members<ModelRetryOptions>({
  attempts: check.integerFrom(1),
  for: checkDuration,
  maxInterval: checkDuration,
});

export const checkOnProviderError = check.oneOf(['hold', 'fail']);

const checkPhrases = check.list(
  check.define(check.nonEmptyText.is, 'must be a text that is not empty: every reply contains an empty one'),
);

const maxCriteriaLength = 8_000;

const checkReflection = check.members<Reflection>({
  every: check.integerFrom(1),
  observer: check.oneOf(['rule', 'model']),
  fallbacks: check.list(check.oneOf(reflectionDefaults.fallbacks)),
});

const checks = {
  name: check.anything,
  version: checkVersion,
  rate: checkRate,
  priority: check.define((value) => [1, 2, 3, 4, 5].includes(value as number), 'must be a number from 1, first, to 5'),
  title: check.pattern(/^[^\p{Cc}]*\S[^\p{Cc}]*$/u, 'must be a text in one line'),
  description: check.nonEmptyText,
  instructions: check.text,
  prompt: check.shape({
    ...{ name: check.nonEmptyText, version: check.nonEmptyText, instructions: check.text, examples: checkExamples },
  }),
  model: check.define(check.nonEmptyText.is, "must be the name of a model, for example 'claude-sonnet-5-5'"),
  models: check.members(Object.fromEntries(modelRoles.map((role) => [role, check.nonEmptyText]))),
  reflection: (value, at) => (value === true ? null : checkReflection(value, at)),
  judge: check.define(
    (value) => isObject(value) && check.nonEmptyText.is(value.criteria) && value.criteria.length <= maxCriteriaLength,
    `must have criteria, a text of at most ${formatCount(maxCriteriaLength)} characters: { criteria: 'Each claim has a source.' }`,
  ),
  fallbacks: check.list(check.nonEmptyText),
  route: check.define(check.callable.is, 'must be a function: (context) => name of a model'),
  candidates: check.list(check.nonEmptyText),
  strategy: checkStrategy,
  promptParts: check.list(check.oneOf(promptParts)),
  outputSchema: validateSchema,
  findings: check.boolean,
  confidence: check.boolean,
  tools: check.list(checkTool),
  limits: checkLimitOptions,
  approval: checkToolApprovals,
  permissions: check.members<CommandPermissions>({
    steer: checkRoles,
    pause: checkRoles,
    limit: checkRoles,
    signal: checkRoles,
    cancel: checkRoles,
  }),
  tenant: check.nonEmptyText,
  sharedWith: check.list(check.nonEmptyText),
  waitingCounts: check.boolean,
  onLimit: (value, at) =>
    isObject(value) ? checkAskOptions(value, at) : check.oneOf<'end' | 'ask'>(['end', 'ask'])(value, at),
  localCalls: check.boolean,
  maxTokens: check.integerFrom(1),
  temperature: check.nullable(check.amount),
  effort: check.oneOf(['low', 'medium', 'high', 'xhigh', 'max']),
  thinking: check.object,
  stopSequences: checkStopSequences,
  successPhrases: checkPhrases,
  failurePhrases: checkPhrases,
  check: check.define(check.callable.is, 'must be a function: (steps) => verdict or null'),
  maxObservationTokens: check.integerFrom(1),
  summarizeObservations: checkSummaryOptions,
  compactAt: check.define(
    (value) => typeof value === 'number' && value > 0 && value <= 1,
    'must be more than 0 and at most 1',
  ),
  compaction: check.oneOf(['rule', 'model']),
  cacheReplies: checkDuration,
  modelTimeout: checkDuration,
  modelHeartbeatTimeout: checkDuration,
  modelRetry: checkModelRetry,
  onProviderError: checkOnProviderError,
} satisfies { readonly [member in keyof Required<AgentDefinition>]: check.ValueCheck };

/** Nested members that people often write at the top level. */
const nestedMembers = [
  ...limitOptionNames.map((name) => `limits.${name}`),
  ...Object.keys(reactDefaults).map((name) => `strategy.${name}`),
  ...['finishToolName', 'finishToolDescription'].map((name) => `strategy.${name}`),
  ...Object.keys(planDefaults).map((name) => `strategy.${name}`),
];

const checkDefinition = check.members<AgentDefinition>(checks, nestedMembers);

/** Returns what is wrong, as a sentence without its full stop, or null. */
export function validateAgent(definition: object): string | null {
  const agent = definition as AgentDefinition;
  return (
    checkDefinition(definition, '') ?? validateRoute(agent) ?? validatePromptParts(agent) ?? validateReflection(agent)
  );
}

function validateReflection({ reflection, compaction, strategy, models }: AgentDefinition): string | null {
  if (reflection !== undefined && getStrategyName(strategy) === 'plan')
    return 'reflection is not for the strategy plan, which reviews its plan: set `reflection` and `reflectEvery` of the strategy';
  if (models?.compaction !== undefined && compaction !== 'model')
    return "models.compaction needs a model that writes notes: set compaction: 'model'";
  if (models?.observer === undefined) return null;
  return typeof reflection === 'object' && reflection.observer === 'model'
    ? null
    : "models.observer needs an observer that is a model: set reflection: { observer: 'model' }";
}

function getStrategyName(strategy: AgentDefinition['strategy']): string | undefined {
  return typeof strategy === 'object' ? ('name' in strategy ? strategy.name : undefined) : strategy;
}

function validatePromptParts({ promptParts: parts = [], strategy }: AgentDefinition): string | null {
  if (!parts.includes('tasks') || getStrategyName(strategy) === 'plan') return null;
  return "promptParts has 'tasks', which only the strategy plan has: remove it, or set strategy: 'plan'";
}

function validateRoute({ route, candidates = [], models = {}, fallbacks = [] }: AgentDefinition): string | null {
  if (route === undefined) return candidates.length === 0 ? null : 'candidates needs `route`, which chooses among them';
  const choices = [...candidates, ...fallbacks, models.planner, models.reasoner, models.summarizer];
  return choices.some((name) => name !== undefined)
    ? null
    : 'route has only one model to choose from: set `candidates`';
}

/**
 * Returns what is wrong with the tool names in approvals, as a sentence without its full stop, or null. A misspelt name
 * would have no effect. Names of presets are valid even without such a tool, and names that a source may list.
 *
 * @param tools by name
 */
export function validateApprovalNames(
  approvals: unknown,
  tools: ReadonlyMap<string, Tool>,
  sources: readonly ToolSource[],
): string | null {
  if (!isObject(approvals)) return null;
  for (const name of Object.keys(approvals)) {
    const tool = tools.get(name);
    if (tool?.snapshot.waits) return `approval.${name} has no effect: its calls only wait. Remove it`;
    if (tool !== undefined && tool.snapshot.question !== null) {
      return `approval.${name} has no effect: its calls are questions, which a person answers. Remove it`;
    }
    if (tool !== undefined || findOwn(codeApprovals, name) !== undefined) continue;
    if (sources.some(({ prefix }) => name.startsWith(prefix))) continue;
    const meant = findNearest(name, [...tools.keys()]);
    const has = tools.size === 0 ? 'it has no tools' : `expected ${[...tools.keys()].join(', ')}`;
    return `approval.${name} is not a tool of the agent; ${meant === null ? has : `you may mean ${meant}`}`;
  }
  return null;
}
