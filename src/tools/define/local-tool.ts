/** What keeps the calls of a tool from being local (core/engine/state/local-calls.ts). */

import { isWithoutEffect } from '../../core/model/index.js';
import { findRunsIn } from './runs-in.js';
import type { ToolDefinition } from './tool-definition.js';
import type { ToolSchema } from './tool-schema.js';

/** What an activity of its own is for. */
const options = ['cost', 'taskQueue', 'concurrency', 'secrets', 'heartbeatTimeout'] as const;

/** Returns why a definition with `local` is invalid, or null. */
export function findLocalProblem(
  definition: Pick<ToolDefinition<ToolSchema>, 'effects' | 'local'> & {
    readonly [option in (typeof options)[number] | 'approval']?: unknown;
  } & { readonly execute: (...args: never) => unknown },
): string | null {
  const { effects, approval = false, execute, local = false } = definition;
  if (!local) return null;
  if (!isWithoutEffect(effects))
    return `a lost local call runs again, and ${effects} calls must not. Remove \`local\`.`;
  if (approval !== false) return 'a call that may need approval is not local. Remove `local` or `approval`.';
  const place = findRunsIn(execute);
  if (place !== undefined) return `a local call runs in the worker's process, not in ${place}. Remove \`local\`.`;
  const option = options.find((name) => definition[name] !== undefined);
  return option === undefined ? null : `\`${option}\` needs an activity for each call. Remove it, or \`local\`.`;
}
