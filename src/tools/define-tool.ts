/** What a user writes to give an agent a tool. Checked here, so that a bad definition never reaches a worker. */

import { type Duration, msToNumber } from '@temporalio/common/lib/time.js';
import { z } from 'zod';
import type { Effects, ToolSnapshot, ToolView } from '../core/agent.js';
import { defaults } from '../core/defaults.js';
import { isObject, type JsonObject } from '../core/json.js';
import { sensitiveMark, toolView } from './tool-view.js';

/** What a tool is given besides its arguments. */
export interface ToolContext {
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
}

export interface ToolLog {
  readonly debug: (message: string, fields?: Record<string, unknown>) => void;
  readonly info: (message: string, fields?: Record<string, unknown>) => void;
  readonly warn: (message: string, fields?: Record<string, unknown>) => void;
  readonly error: (message: string, fields?: Record<string, unknown>) => void;
}

export interface ToolDefinition<S extends z.ZodType> {
  /** Letters, digits, `_` and `-`, at most 64; the activity's type in Temporal. */
  readonly name: string;
  /** For the model: what it does and when to use it. */
  readonly description: string;
  /** An object schema. What the model writes is checked against it before `run` is entered. */
  readonly input: S;
  /** For the model, in words: what it gives back. */
  readonly returns?: string;
  /**
   * What happens when a call is made twice. `read`: nothing. `idempotent`: no more than once, thanks to
   * the `idempotencyKey`. `unsafe`: it happens twice, so it is never tried again by itself.
   */
  readonly effects: Effects;
  /** Whether equal questions may have different answers a moment later. Default false. */
  readonly volatile?: boolean;
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
  /** Gives back JSON. May throw `ToolError` for the model to react to, and `NotDone`. */
  readonly run: (input: z.output<S>, context: ToolContext) => unknown;
}

/** A tool that was checked. What the model sees of it is `snapshot`. */
export interface Tool {
  readonly name: string;
  readonly snapshot: ToolSnapshot;
  /** Says what is wrong with arguments, or null. */
  readonly problemWith: (input: unknown) => string | null;
  /** Checks the arguments and runs. Contract: throws `NotDone` before `run` is entered, if at all. */
  readonly parse: (input: unknown) => (context: ToolContext) => unknown;
}

/**
 * Defines a tool.
 *
 * @throws {TypeError} saying what to write instead
 * @example
 * export const getWeather = defineTool({
 *   name: 'get_weather',
 *   description: 'Current weather of a city',
 *   input: z.object({ city: z.string().describe('City name') }),
 *   effects: 'read',
 *   run: async ({ city }, { signal }) => (await fetch(`https://weather.example/${city}`, { signal })).json(),
 * });
 */
export function defineTool<S extends z.ZodType>(definition: ToolDefinition<S>): Tool {
  const { name, description, input, effects, run } = definition;
  if (!/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name)) {
    throw new TypeError(
      `defineTool: the name ${JSON.stringify(name)} must begin with a letter and hold only letters, digits, _ and -, 64 at most.`,
    );
  }
  const complain = (what: string) => new TypeError(`defineTool: ${name}: ${what}`);
  if (typeof description !== 'string' || description.trim() === '') {
    throw complain('write a description: it is all that tells the model when to use the tool.');
  }
  if (!['read', 'idempotent', 'unsafe'].includes(effects)) {
    throw complain("say with `effects` what a second call would do: 'read', 'idempotent' or 'unsafe'.");
  }
  if (typeof run !== 'function') throw complain('write `run`, the function that does it.');
  const attempts = definition.retry?.attempts;
  if (effects === 'unsafe' && attempts !== undefined && attempts !== 1) {
    throw complain('an unsafe call is never tried again: leave `retry` out, or make the tool idempotent.');
  }
  const { shown, marked } = schemasOf(input, complain);
  const view = toolView(definition.view, marked, complain);
  const snapshot: ToolSnapshot = {
    name,
    description: description.trim(),
    inputSchema: shown,
    returns: definition.returns ?? '',
    effects,
    volatile: definition.volatile ?? false,
    timeoutMs: positive(definition.timeout ?? defaults.toolTimeoutMs, 'timeout', complain),
    heartbeatMs: positive(definition.heartbeat ?? defaults.toolHeartbeatMs, 'heartbeat', complain),
    attempts: effects === 'unsafe' ? 1 : positive(attempts ?? defaults.toolAttempts, 'retry.attempts', complain),
    backoffMs: positive(definition.retry?.backoff ?? defaults.toolBackoffMs, 'retry.backoff', complain),
    ...(view === undefined ? {} : { view }),
  };
  return {
    name,
    snapshot,
    problemWith: (value) => problemWith(input, value),
    parse: (value) => {
      const parsed = input.parse(value);
      return (context) => run(parsed, context);
    },
  };
}

/** The JSON Schema that the model is shown; it must describe one object, because arguments have names. */
export function schemaOf(schema: z.ZodType, complain: (what: string) => Error): JsonObject {
  return schemasOf(schema, complain).shown;
}

/** The same schema with the marks of what is sensitive, which are for people's views, and without. */
function schemasOf(schema: z.ZodType, complain: (what: string) => Error): { shown: JsonObject; marked: JsonObject } {
  const write = (unmark: boolean) => {
    let json: unknown;
    try {
      json = z.toJSONSchema(schema, {
        io: 'input',
        override: ({ jsonSchema }) => {
          if (unmark) delete jsonSchema[sensitiveMark];
        },
      });
    } catch (error) {
      throw complain(
        `its schema cannot be shown to a model: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    if (!isObject(json) || json.type !== 'object') throw complain('`input` must be a z.object({ … }).');
    const { $schema: _dialect, ...rest } = json;
    return rest;
  };
  return { shown: write(true), marked: write(false) };
}

/** What is wrong, one fault a line, each with where it is. */
export function problemWith(schema: z.ZodType, value: unknown): string | null {
  const checked = check(schema, value);
  if (typeof checked === 'string') return checked;
  if (checked.success) return null;
  return checked.error.issues
    .map((issue) => (issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`))
    .join('\n');
}

/** A refinement of the user's may throw, or be async where none can be awaited: then the value is not right. */
function check(schema: z.ZodType, value: unknown): ReturnType<z.ZodType['safeParse']> | string {
  try {
    return schema.safeParse(value);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function positive(value: Duration, what: string, complain: (what: string) => Error): number {
  const number = msToNumber(value);
  if (!Number.isFinite(number) || number < 1) throw complain(`\`${what}\` must be at least 1.`);
  return number;
}
