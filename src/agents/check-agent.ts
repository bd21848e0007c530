/**
 * Checks the definition of an agent. The types say most of it; this is for JavaScript, and for definitions from files.
 */

import {
  type Check,
  listOf,
  membersOf,
  object,
  oneOf,
  text,
  wholeFrom,
  words,
  yesOrNo,
} from '../core/lib/check-value.js';
import { isObject, own } from '../core/lib/json.js';
import { nearest } from '../core/lib/nearest.js';
import type { PlanOptions, ReactOptions, ToolsOptions } from '../core/model/agent.js';
import type { Permissions } from '../core/model/direction.js';
import { limitsCheck } from '../core/model/limits.js';
import { planDefaults, reactDefaults } from '../core/strategies/strategy.js';
import { codeApprovals } from '../tools/approval/approval.js';
import { rolesCheck, toolApprovalsCheck } from '../tools/approval/check-approval.js';
import { isName } from '../tools/define/complaint.js';
import type { Tool } from '../tools/define/define-tool.js';
import { problemWithSchema } from '../tools/define/json-schema.js';
import { type AgentDefinition, isAgent, type StrategyChoice } from './agent-definition.js';

/** Looked at where it is taken apart. */
const elsewhere: Check = () => null;

const tag: Check = (value, at) =>
  typeof value === 'string' && /^\p{L}([\p{L}\p{N} _-]{0,29}[\p{L}\p{N}])?$/u.test(value)
    ? null
    : `${at} ${JSON.stringify(value)} must be a word or two, without the colon`;

const reactMembers = membersOf<ReactOptions>({
  name: elsewhere,
  thoughtPrompt: text,
  requireThought: yesOrNo,
  minThoughtLength: wholeFrom(0),
  thoughtTag: tag,
  actionTag: tag,
  observationTag: tag,
  scratchpad: yesOrNo,
  multipleActions: yesOrNo,
});

const strategies: Readonly<Record<'react' | 'tools' | 'autonomous' | 'plan', Check>> = {
  react: (value, at) => reactMembers(value, at) ?? problemWithTags(value as Partial<ReactOptions>, at),
  tools: membersOf<ToolsOptions>({ name: elsewhere }),
  autonomous: membersOf<Extract<StrategyChoice, { name: 'autonomous' }>>({
    name: elsewhere,
    finishToolName: (value, at) =>
      isName(value) ? null : `${at} must begin with a letter and hold only letters, digits, _ and -, 64 at most`,
    finishToolDescription: words,
    result: problemWithSchema,
  }),
  plan: membersOf<PlanOptions>({
    name: elsewhere,
    planning: yesOrNo,
    reflection: yesOrNo,
    reflectEvery: wholeFrom(1),
    parallel: wholeFrom(1),
    fallbacks: listOf((value, at) => oneOf(planDefaults.fallbacks, value, at)),
    reuse: (value, at) =>
      value === null || words(value, at) === null
        ? null
        : `${at} must be a version of your own, such as 'v1', or null for plans that are not used again`,
  }),
};

const strategy: Check = (value, at) => {
  const options: unknown = typeof value === 'string' ? { name: value } : value;
  const name = isObject(options) && typeof options.name === 'string' ? options.name : '';
  const check = own<Check>(strategies, name);
  if (check !== undefined) return check(options, at);
  return `${at} must be 'react', 'tools', 'autonomous' or 'plan', or one of these with options, as { name: 'react', scratchpad: false }`;
};

/** Labels are read in any case and spacing: two that are then the same leave a reply without its meaning. */
function problemWithTags(given: Partial<ReactOptions>, at: string): string | null {
  const {
    thoughtTag = reactDefaults.thoughtTag,
    actionTag = reactDefaults.actionTag,
    observationTag = reactDefaults.observationTag,
  } = given;
  const taken = [`${actionTag} Input`, 'Final Answer', 'Scratchpad'];
  const tags = [thoughtTag, actionTag, observationTag, ...taken];
  const read = tags.map((each) => each.replace(/[\s_-]/g, '').toLowerCase());
  const twice = tags.find((_, index) => read.indexOf(read[index] ?? '') !== index);
  if (twice === undefined) return null;
  return `${at} has two labels that read ${JSON.stringify(twice)}: give thoughtTag, actionTag and observationTag words of their own, none of them ${taken.join(', ')}`;
}

const tool: Check = (value, at) => {
  const isTool = isObject(value) && isObject(value.snapshot) && typeof value.parse === 'function';
  return isTool || isAgent(value) ? null : `${at} must be a tool: make it with defineTool({ … }); or an agent`;
};

const stop: Check = (value, at) =>
  words(value, at) === null ? null : `${at} must be a text that says something: providers refuse an empty one`;

const phrase: Check = (value, at) =>
  words(value, at) === null ? null : `${at} must be a text that says something: an empty one is in every reply`;

const checks = {
  name: elsewhere,
  description: words,
  instructions: text,
  model: (value: unknown) =>
    words(value, '') === null ? null : "name the model, for example model: 'claude-sonnet-5-5'",
  strategy,
  tools: listOf(tool),
  limits: limitsCheck,
  approval: toolApprovalsCheck,
  permissions: membersOf<Permissions>({ steer: rolesCheck, pause: rolesCheck, limit: rolesCheck, cancel: rolesCheck }),
  tenant: words,
  sharedWith: listOf(words),
  waitingCounts: yesOrNo,
  maxTokens: wholeFrom(1),
  temperature: (value: unknown, at: string) =>
    typeof value === 'number' && Number.isFinite(value) && value >= 0 ? null : `${at} must be a number from 0`,
  effort: (value: unknown, at: string) => oneOf(['low', 'medium', 'high', 'xhigh', 'max'], value, at),
  thinking: object,
  stopSequences: listOf(stop),
  successPhrases: listOf(phrase),
  failurePhrases: listOf(phrase),
  check: (value: unknown, at: string) =>
    typeof value === 'function' ? null : `${at} must be a function: (steps) => verdict or null`,
  maxObservationTokens: wholeFrom(1),
  modelTimeoutMs: wholeFrom(1),
  modelHeartbeatMs: wholeFrom(1),
} satisfies { readonly [member in keyof Required<AgentDefinition>]: Check };

/** Options that stand one deeper than people remember. */
const deeper = [
  ...['steps', 'tokens', 'costUsd', 'timeMs', 'stallThreshold', 'depth', 'chains'].map((name) => `limits.${name}`),
  ...Object.keys(reactDefaults).map((name) => `strategy.${name}`),
  ...['finishToolName', 'finishToolDescription', 'result'].map((name) => `strategy.${name}`),
  ...Object.keys(planDefaults).map((name) => `strategy.${name}`),
];

const members = membersOf<AgentDefinition>(checks, deeper);

/** What is wrong, as a sentence without its full stop, or null. */
export function problemWithAgent(definition: object): string | null {
  return members(definition, '') ?? checks.model((definition as Partial<AgentDefinition>).model);
}

/**
 * What is wrong with the names of tools in approvals, as a sentence without its full stop, or null. A misspelt name would
 * ask about nothing. Presets may be for more tools than the agent has.
 *
 * @param tools by name
 */
export function problemWithNames(approvals: unknown, tools: ReadonlyMap<string, Tool>): string | null {
  if (!isObject(approvals)) return null;
  for (const name of Object.keys(approvals)) {
    const tool = tools.get(name);
    if (tool !== undefined && tool.snapshot.question !== null) {
      return `approval.${name} means nothing: its calls are questions, which a person answers`;
    }
    if (tool !== undefined || own(codeApprovals, name) !== undefined) continue;
    const meant = nearest(name, [...tools.keys()]);
    const has = tools.size === 0 ? 'it has none' : `it has ${[...tools.keys()].join(', ')}`;
    return `approval.${name} is for no tool of the agent's; ${meant === null ? has : `you may mean ${meant}`}`;
  }
  return null;
}
