/** Makes a tool of what a user writes. It is checked here, so that a bad definition never reaches a worker. */

import { msToNumber } from '@temporalio/common/lib/time.js';
import type { z } from 'zod';
import { computeDigest } from '../../core/lib/digest.js';
import { toCanonicalJson } from '../../core/lib/json.js';
import type { ScoreCandidate } from '../../core/model/action.js';
import type { ToolSnapshot } from '../../core/model/agent.js';
import { defaults } from '../../core/model/defaults.js';
import type { Approval } from '../approval/approval.js';
import { createDefinitionErrorFactory } from './definition-error.js';
import { toJsonSchemas } from './json-schema.js';
import { type ToolContext, type ToolDefinition, validateTool } from './tool-definition.js';
import { createToolView } from './tool-view.js';

export type { ToolContext, ToolDefinition, ToolLog } from './tool-definition.js';

/** A tool that was checked. What the model sees of it is `snapshot`. */
export interface Tool {
  readonly name: string;
  readonly snapshot: ToolSnapshot;
  /** Says what is wrong with arguments, or null. */
  readonly validateInput: (input: unknown) => string | null;
  /** Checks the arguments and runs. Contract: throws `NotDone` before `execute` is entered, if at all. */
  readonly parse: (input: unknown) => (context: ToolContext<string>) => unknown;
  /** Undefined where the tool has no opinion: then an unsafe call needs approval, and another does not. */
  readonly approval?: Approval;
  /** Of a tool whose answers stand for a while. */
  readonly cache?: { readonly ttlMs: number; readonly version: string };
  /** Of a tool that delegates to several: what an answer is worth. */
  readonly score?: Score;
  /** Names of those that a call of it is given. */
  readonly secrets?: readonly string[];
}

/** The higher, the better. Asked in the worker; it may do I/O. */
export type Score = (candidate: ScoreCandidate) => number | Promise<number>;

/**
 * Defines a tool.
 *
 * @throws {TypeError} saying what to write instead
 * @example
 * export const getWeather = defineTool({
 *   name: 'get_weather',
 *   description: 'Current weather of a city',
 *   inputSchema: z.object({ city: z.string().describe('City name') }),
 *   effects: 'read',
 *   execute: async ({ city }, { signal }) => (await fetch(`https://weather.example/${city}`, { signal })).json(),
 * });
 */
export function defineTool<S extends z.ZodType, const Secret extends string = never>(
  definition: ToolDefinition<S, Secret>,
): Tool {
  const complain = createDefinitionErrorFactory('defineTool', definition);
  const wrong = validateTool(definition);
  if (wrong !== null) throw complain(`${wrong}.`);
  const { name, description, inputSchema, effects, execute, secrets = [] } = definition;
  const attempts = definition.retry?.attempts;
  if (effects === 'unsafe' && attempts !== undefined && attempts !== 1) {
    throw complain('an unsafe call is never tried again: leave `retry` out, or make the tool idempotent.');
  }
  const { cacheTtlSeconds } = definition;
  if (cacheTtlSeconds !== undefined && (effects !== 'read' || definition.volatile)) {
    const why = effects === 'read' ? 'is `volatile`: its answers do not stand' : 'has effects, which must happen';
    throw complain(`the tool ${why}. Leave \`cacheTtlSeconds\` out.`);
  }
  const { shown, marked } = toJsonSchemas(inputSchema, 'inputSchema', complain);
  const snapshot: ToolSnapshot = {
    name,
    description: description.trim(),
    inputSchema: shown,
    returns: definition.returns ?? '',
    effects,
    volatile: definition.volatile ?? false,
    timeoutMs: msToNumber(definition.timeout ?? defaults.toolTimeoutMs),
    heartbeatMs: msToNumber(definition.heartbeat ?? defaults.toolHeartbeatMs),
    attempts: effects === 'unsafe' ? 1 : (attempts ?? defaults.toolAttempts),
    backoffMs: msToNumber(definition.retry?.backoff ?? defaults.toolBackoffMs),
    view: createToolView(definition.view, marked, complain),
    audit: definition.audit ?? null,
    question: null,
    delegates: null,
  };
  return {
    name,
    snapshot,
    ...(cacheTtlSeconds === undefined
      ? {}
      : { cache: { ttlMs: cacheTtlSeconds * 1_000, version: computeVersion(definition, shown) } }),
    // Its policy is asked about arguments that have passed the schema.
    ...(definition.approval === undefined ? {} : { approval: definition.approval as Approval }),
    ...(secrets.length === 0 ? {} : { secrets: [...new Set(secrets)] }),
    validateInput: (value) => validateInput(inputSchema, value),
    parse: (value) => {
      const parsed = inputSchema.parse(value);
      return (context) => execute(parsed, context);
    },
  };
}

function computeVersion(
  { version, description, returns }: Pick<ToolDefinition<z.ZodType>, 'version' | 'description' | 'returns'>,
  shown: ToolSnapshot['inputSchema'],
): string {
  return version ?? computeDigest(toCanonicalJson([description, returns ?? '', shown])).slice(0, 16);
}

/** What is wrong, one fault a line, each with where it is. */
export function validateInput(schema: z.ZodType, value: unknown): string | null {
  const checked = safeParse(schema, value);
  if (typeof checked === 'string') return checked;
  if (checked.success) return null;
  return checked.error.issues
    .map((issue) => (issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`))
    .join('\n');
}

/** A refinement of the user's may throw, or be async where none can be awaited: then the value is not right. */
function safeParse(schema: z.ZodType, value: unknown): ReturnType<z.ZodType['safeParse']> | string {
  try {
    return schema.safeParse(value);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
