/**
 * `longhand tools call`: runs one call of a tool in a chain of its own, with all that a chain does: roles, policies, approval,
 * validation, limits, retries, cache, masking, audit. Only the model is replaced, by the call on the command line.
 */

import { type Agent, defineAgent } from '../../agents/index.js';
import type { ChainHandle } from '../../client/index.js';
import { isObject, type Json, omitUndefined, toPlainText } from '../../core/lib/index.js';
import { type Call, hasResult } from '../../core/model/index.js';
import { createSnippetMasker } from '../../core/view/index.js';
import { createProvidersFromEnvironment, loadModelDefinitions, readModelsFile } from '../../models/index.js';
import { getSystemUser } from '../access/open.js';
import { type StartFlags, toStartOptions } from '../flags/start-flags.js';
import { UsageError } from '../flags/usage-error.js';
import { loadDefinitions } from '../run/load-definitions.js';
import { validatePrices } from '../run/model.js';
import { runChain } from '../run/run-chain.js';
import { findOrStartServer } from '../server/server.js';
import { formatJson, isInteractive, type Terminal } from '../terminal/terminal.js';
import { loadTools, selectTool } from './module-tools.js';
import { createScriptedModel, scriptedDefinition, scriptedModel } from './scripted-model.js';

export interface CallFlags extends StartFlags {
  readonly module?: string;
  readonly agent?: string;
  readonly prices?: string;
}

export type CallTool = typeof callTool;

/** @throws {UsageError} where the module has no such tool, or several, or the arguments are no JSON */
export async function callTool(terminal: Terminal, name: string, args: string, flags: CallFlags): Promise<number> {
  const input = parseArguments(args);
  const options = toStartOptions({ user: getSystemUser(), ...flags });
  validatePrices(flags.prices);
  const defined = await loadDefinitions(flags.module);
  const { agents: owners } = selectTool(await loadTools(defined, terminal.report), name, flags.agent);
  const owner = defined.agents.find((agent) => agent.name === (flags.agent ?? owners[0])) as Agent;
  const agent = toCallingAgent(owner);
  const listed = readModelsFile(process.env);
  const configured = await createProvidersFromEnvironment(process.env, defined.secrets);
  const server = await findOrStartServer({ report: terminal.report });
  try {
    const calls: Call[] = [];
    const { chainId, reason } = await runChain({
      ...defined,
      agents: [agent, ...defined.agents.filter((candidate) => candidate.name !== agent.name)],
      agent,
      task: `Call ${name}.`,
      address: server.address,
      taskQueue: flags.taskQueue,
      providers: [createScriptedModel(name, input), ...configured.map(({ provider }) => provider)],
      models: {
        ...(listed === null ? {} : Object.fromEntries(loadModelDefinitions(listed))),
        [scriptedModel]: scriptedDefinition,
      },
      prices: flags.prices,
      start: { ...options, model: scriptedModel },
      output: flags.json ? null : terminal,
      shows: 'calls',
      requestHandling: !flags.json && isInteractive() ? 'prompt' : 'print',
      report: terminal.report,
      readEnded: async (chain) => void calls.push(...(await readCalls(chain))),
    });
    const [call] = calls;
    if (call === undefined) {
      terminal.report(`The call was not made: ${reason}`);
      return 1;
    }
    const isDone = hasResult(call.status);
    if (flags.json) terminal.write(formatJson(toJson(chainId, call)));
    else if (isDone) terminal.write(`\n${formatResult(call, agent)}\n`);
    return isDone ? 0 : 1;
  } finally {
    await server.stop();
  }
}

function parseArguments(text: string): Json {
  try {
    const value = JSON.parse(text) as Json;
    if (isObject(value)) return value;
  } catch {
    // Reported below, as for JSON of another type.
  }
  throw new UsageError(`The arguments ${text} are no JSON object. Write: '{"city": "Oslo"}'.`);
}

/** Far above the two that are used, so that no notice about the limit is printed. */
const maxSteps = 100;

/** The agent with its tools and the rules for them, without what depends on the replies of its model. */
function toCallingAgent({ definition }: Agent): Agent {
  const { name, limits, tools, approval, permissions, tenant, sharedWith, maxObservationTokens } = definition;
  return defineAgent({
    ...omitUndefined({ tools, approval, permissions, tenant, sharedWith, maxObservationTokens }),
    ...{ name, limits: { ...limits, steps: maxSteps }, model: scriptedModel, strategy: 'tools' },
  });
}

async function readCalls(chain: ChainHandle): Promise<readonly Call[]> {
  const read = await chain.read();
  return read.steps.flatMap(({ calls }) => calls);
}

const maxResultCharacters = 200_000;

/** The whole result, masked: the line of the call shows a part of it. */
function formatResult(call: Call, { tools }: Agent): string {
  const masker = createSnippetMasker();
  const known = tools.map(({ snapshot }) => snapshot);
  masker.beginStep(known, [call]);
  const text = toPlainText(masker.value(call.tool, call.observation, maxResultCharacters));
  if (typeof call.observation === 'string') return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function toJson(chainId: string, { tool, input, status, observation, startedAt, endedAt, ...rest }: Call) {
  const durationMs = endedAt === null ? null : Math.max(0, endedAt - startedAt);
  const { cached, clippedFrom, charges } = rest;
  return { chainId, tool, input, status, result: observation, durationMs, clippedFrom, cached, charges };
}
