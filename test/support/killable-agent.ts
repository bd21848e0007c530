/**
 * An agent whose tools leave a mark in a file when their effect happens, so that effects can be counted from outside,
 * also those of a process that is no more.
 */

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { type Agent, defineAgent } from '../../src/agents/define-agent.js';
import { defineTool, type Tool, type ToolContext } from '../../src/tools/define-tool.js';

export interface Mark {
  readonly tool: string;
  readonly pid: number;
  readonly attempt: number;
  readonly idempotencyKey: string;
}

export interface KillableOptions {
  /** Path of the file. */
  readonly marks: string;
  /** Whether tools never come back once they have made their mark. */
  readonly hold: boolean;
}

const quick = { heartbeat: 1_500, retry: { attempts: 3, backoff: 100 } } as const;

/** Its tools, one for each kind of effect: `look_up`, `book` and `pay`. */
export function killableAgent(options: KillableOptions): Agent {
  return defineAgent({
    name: 'killable',
    model: 'claude-sonnet-5-5',
    strategy: 'tools',
    modelHeartbeatMs: 1_500,
    tools: [
      defineTool({ ...marking('look_up', options), effects: 'read', ...quick }),
      defineTool({ ...marking('book', options), effects: 'idempotent', ...quick }),
      defineTool({ ...marking('pay', options), effects: 'unsafe', heartbeat: 1_500 }),
    ],
  });
}

export function marksIn(path: string): readonly Mark[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Mark);
}

function marking(name: string, { marks, hold }: KillableOptions) {
  return {
    name,
    description: `Does ${name} to a thing`,
    input: z.object({ thing: z.string() }),
    run: async ({ thing }: { thing: string }, { attempt, idempotencyKey }: ToolContext) => {
      const mark: Mark = { tool: name, pid: process.pid, attempt, idempotencyKey };
      appendFileSync(marks, `${JSON.stringify(mark)}\n`);
      if (hold) await new Promise(() => {});
      return `${name} ${thing}: done`;
    },
  } satisfies Partial<Parameters<typeof defineTool>[0]> & { run: Tool['parse'] | unknown };
}
