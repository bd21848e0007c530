/** Creates an agent from its definition, and validates it, so that an invalid one never reaches a worker. */

import { z } from 'zod';
import { cannotComplete, controlTools, findControlTool, listFinishTools, readFinish } from '../core/engine/index.js';
import { type Json, omitUndefined } from '../core/lib/index.js';
import type { ReactExample, StrategyOptions } from '../core/model/index.js';
import { reactDefaults, strategyDefaults } from '../core/strategies/index.js';
import { toStoredLimits } from '../options/index.js';
import {
  createDefinitionErrorFactory,
  type DefinitionErrorFactory,
  isToolSource,
  type Tool,
  type ToolSchema,
  validateInput,
} from '../tools/define/index.js';
import { type Agent, type AgentDefinition, isAgent, type StepCheck, type StrategyChoice } from './agent-definition.js';
import { type AnswerOf, createAnswerRules } from './answer-members.js';
import { validateAgent, validateApprovalNames } from './check-agent.js';
import { validateExamples } from './check-examples.js';
import { isOwnStrategy } from './define-strategy.js';
import { delegate } from './delegate.js';
import { isDelegateTool } from './delegate-tool.js';

type NamedDefinition<Name, Findings, Confidence> = AgentDefinition & {
  readonly name: Name;
  readonly findings?: Findings;
  readonly confidence?: Confidence;
};

/**
 * Defines an agent.
 *
 * @throws {LonghandError} `invalid_agent`, with the invalid member and the fix
 * @example
 * export const meteorologist = defineAgent({
 *   name: 'meteorologist',
 *   instructions: 'You compare weather.',
 *   model: 'claude-sonnet-5-5',
 *   tools: [getWeather],
 *   limits: { steps: 10, costUsd: 0.5 },
 * });
 */
export function defineAgent<
  const Name extends string,
  Schema extends ToolSchema | undefined = undefined,
  Findings extends boolean = false,
  Confidence extends boolean = false,
>(
  definition: NamedDefinition<Name, Findings, Confidence> & {
    readonly outputSchema?: Schema;
    readonly successPhrases: readonly string[];
  },
): Agent<AnswerOf<Schema, Findings, Confidence> | string, Name>;
export function defineAgent<
  const Name extends string,
  Schema extends ToolSchema,
  Findings extends boolean = false,
  Confidence extends boolean = false,
>(
  definition: NamedDefinition<Name, Findings, Confidence> & { readonly outputSchema: Schema },
): Agent<AnswerOf<Schema, Findings, Confidence>, Name>;
export function defineAgent<
  const Name extends string,
  Findings extends boolean = false,
  Confidence extends boolean = false,
>(
  definition: NamedDefinition<Name, Findings, Confidence> & { readonly outputSchema?: undefined },
): Agent<AnswerOf<undefined, Findings, Confidence>, Name>;
/** A definition that may have a schema, which its type does not state. */
export function defineAgent<const Name extends string>(
  definition: AgentDefinition & { readonly name: Name },
): Agent<unknown, Name>;
export function defineAgent(definition: AgentDefinition): Agent {
  const complain = createDefinitionErrorFactory('defineAgent', definition);
  const problem = validateAgent(definition);
  if (problem !== null) throw complain(`${problem}.`);
  if (definition.prompt !== undefined && definition.instructions !== undefined)
    throw complain('instructions and prompt cannot be combined: move the instructions into the file of the prompt.');
  const { name, tenant, sharedWith = [], limits = {} } = definition;
  if (tenant === undefined && sharedWith.length > 0) throw complain('sharedWith needs an owner: set `tenant`.');
  const entries = definition.tools ?? [];
  const sources = entries.filter(isToolSource);
  const twice = sources.find(({ name: source }, at) => sources.findIndex((other) => other.name === source) !== at);
  if (twice !== undefined) throw complain(`two sources of tools have the name ${twice.name}: rename one.`);
  const tools = entries.flatMap((tool) => (isToolSource(tool) ? [] : [toTool(tool, name)]));
  const examples = definition.prompt?.examples ?? [];
  const strategy = toStrategyOptions(definition.strategy ?? 'tools', examples);
  const answer = createAnswerRules(definition, complain);
  const members = createToolMembers({ strategy, ...answer }, tools, complain);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const misnamed = validateApprovalNames(definition.approval, byName, sources);
  if (misnamed !== null) throw complain(`${misnamed}.`);
  const shown = strategy.name === 'react' ? strategy : { ...reactDefaults, requireThought: false, examples };
  const badExample = validateExamples(shown, examples.length, byName, sources);
  if (badExample !== null) throw complain(`${badExample}.`);
  return {
    name,
    definition,
    strategy,
    ...answer,
    limits: toStoredLimits(limits),
    ...members,
    sources,
    tenants: tenant === undefined ? null : [tenant, ...sharedWith],
    check: toStepCheck(definition.check),
  };
}

/**
 * Returns an agent with further tools, those of its sources. A stranger chooses their names, so one that cannot be used ends no chain.
 *
 * @param leaveOut called with each tool that is omitted
 */
export function addTools(
  agent: Agent,
  tools: readonly Tool[],
  leaveOut: (tool: string, why: string) => void = () => {},
): Agent {
  const complain = createDefinitionErrorFactory('defineAgent', agent.definition);
  const findProblem = ({ name }: Tool): string | null => {
    if (agent.tool(name) !== undefined) return 'the agent has a tool of this name';
    if (isReserved(name, agent)) return 'the strategy of the agent reserves this name';
    return tools.filter((tool) => tool.name === name).length > 1 ? 'several sources list it' : null;
  };
  const fitting = tools.filter((tool) => {
    const problem = findProblem(tool);
    if (problem !== null) leaveOut(tool.name, problem);
    return problem === null;
  });
  return { ...agent, ...createToolMembers(agent, [...agent.tools, ...fitting], complain) };
}

function isReserved(name: string, { strategy }: Pick<Agent, 'strategy'>): boolean {
  if (strategy.name === 'plan') return findControlTool(name) !== null;
  return listFinishTools(strategy).includes(name);
}

type ToolMembers = Pick<Agent, 'tools' | 'subAgents' | 'tool' | 'validateCall'>;

function createToolMembers(
  { outputSchema, strategy }: Pick<Agent, 'outputSchema' | 'strategy'>,
  tools: readonly Tool[],
  complain: DefinitionErrorFactory,
): ToolMembers {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const twice = tools.find((tool) => byName.get(tool.name) !== tool);
  if (twice !== undefined) throw complain(`two tools have the name ${twice.name}: rename one.`);
  const taken = tools.find(({ name }) => isReserved(name, { strategy }));
  if (taken !== undefined) {
    throw complain(
      strategy.name === 'plan'
        ? `the name ${taken.name} is reserved by the strategy plan (${controlTools.join(', ')}): rename yours.`
        : `the name ${taken.name} is reserved for the tool that ends the chain: rename yours, or set ${taken.name === cannotComplete.name ? 'canFail to false' : 'finishToolName'}.`,
    );
  }
  return {
    tools,
    subAgents: tools.flatMap((tool) => (isDelegateTool(tool) ? tool.subAgents : [])),
    tool: (toolName) => byName.get(toolName),
    validateCall: (toolName, input) => {
      if (strategy.name === 'autonomous' && toolName === strategy.finishToolName) {
        return formatInvalidCall(toolName, validateFinish(outputSchema, input));
      }
      if (toolName === cannotComplete.name && isReserved(toolName, { strategy }))
        return formatInvalidCall(toolName, validateInput(z.object({ reason: z.string().trim().min(1) }), input));
      // The chain itself validates control calls.
      if (strategy.name === 'plan' && findControlTool(toolName) !== null) return null;
      const tool = byName.get(toolName);
      if (tool === undefined) return formatUnknownTool(toolName, [...byName.keys()]);
      return formatInvalidCall(toolName, tool.validateInput(input));
    },
  };
}

/** Converts an agent to a delegating tool, and sets the agent of an `explore` tool to its owner. */
function toTool(source: Tool | Agent, agent: string): Tool {
  const tool = isAgent(source) ? delegate(source) : source;
  const { delegates } = tool.snapshot;
  if (delegates?.spread.kind !== 'branches') return tool;
  return { ...tool, snapshot: { ...tool.snapshot, delegates: { ...delegates, agent } } };
}

function toStrategyOptions(choice: StrategyChoice, ofPrompt: readonly ReactExample[]): StrategyOptions {
  if (isOwnStrategy(choice)) return choice.snapshot;
  const given = typeof choice === 'string' ? { name: choice } : choice;
  const options = { ...strategyDefaults[given.name], ...omitUndefined(given) } as StrategyOptions;
  return options.name === 'react' ? { ...options, examples: [...ofPrompt, ...options.examples] } : options;
}

/**
 * Validates a finish call. The findings of a failure may have any form, and an output schema is checked for all strategies
 * (core/strategies/answer.ts). Strict modes write null for a member that is absent.
 */
function validateFinish(outputSchema: Agent['outputSchema'], input: Json): string | null {
  const isFailure = readFinish(input).failure !== undefined;
  const success = z.literal(isFailure ? [false, 'false'] : [true, 'true']).nullish();
  const result = isFailure || outputSchema !== null ? z.unknown() : z.string();
  return validateInput(z.object({ result, success, reason: z.string().nullish() }), input);
}

function formatUnknownTool(name: string, names: readonly string[]): string {
  const has = names.length === 0 ? 'You have no tools.' : `You have: ${names.join(', ')}.`;
  return `There is no tool named ${name}. ${has}`;
}

/** The observation of a call with invalid arguments; null for valid ones. */
export function formatInvalidCall(tool: string, problem: string | null): string | null {
  return problem === null ? null : `The arguments of ${tool} are invalid. The call was not run.\n${problem}`;
}

function toStepCheck(check: StepCheck | undefined): Agent['check'] {
  if (check === undefined) return null;
  return async (steps) => {
    const result = await check(steps);
    if (!result) return null;
    const { outcome = 'custom', reason, answer = null } = result;
    return { outcome, reason, answer };
  };
}
