/**
 * An agent whose tools write a mark to a file when their effect happens, so that a test can count effects, also those of
 * a killed process.
 */

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { z } from 'zod';
import { wait } from '../../src/entries/tools.js';
import {
  type Agent,
  type Approval,
  defineAgent,
  defineTool,
  type Effects,
  type Json,
  type Tool,
} from '../../src/index.js';

export interface Mark {
  readonly tool: string;
  readonly chainId: string;
  /** The id of the call, such as `2.1`. */
  readonly call: string;
  readonly input: Json;
  readonly pid: number;
  readonly attempt: number;
  readonly idempotencyKey: string;
}

export interface KillableOptions {
  /** The path of the file with the marks. */
  readonly marks: string;
  /** The thing whose calls hang after their mark until their signal is aborted. */
  readonly holds: string | null;
  /** Milliseconds until the approval of a payment expires; `both…` needs two approvers. Default: payments need no approval. */
  readonly approvalMs?: number;
}

type ToolName = 'look_up' | 'glance' | 'book' | 'pay';

/** Milliseconds after which the server detects a killed worker. */
const heartbeatTimeout = 1_500;

/** Creates the agent, with a tool for each kind of effects. */
export function createKillableAgent(options: KillableOptions): Agent {
  return defineAgent({
    name: 'killable',
    model: 'claude-sonnet-5-5',
    strategy: 'tools',
    modelHeartbeatTimeout: heartbeatTimeout,
    tools: [
      createMarkingTool('look_up', 'read', options),
      createMarkingTool('glance', 'read', options, true),
      createMarkingTool('book', 'idempotent', options),
      createMarkingTool('pay', 'unsafe', options),
      createCountingTool(options),
      wait(),
    ],
  });
}

export function readMarks(path: string): readonly Mark[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Mark);
}

function createMarkingTool(name: ToolName, effects: Effects, options: KillableOptions, local = false): Tool {
  const { marks, holds } = options;
  return defineTool({
    name,
    description: `Does ${name} to a thing`,
    // `ms` is the time before the effect and again after it.
    inputSchema: z.object({ thing: z.string(), ms: z.number().optional() }),
    effects,
    approval: effects === 'unsafe' ? createApproval(options) : false,
    ...(local ? { local } : { heartbeatTimeout }),
    ...(effects === 'unsafe' ? {} : { retry: { attempts: 3, backoff: 100 } }),
    execute: async (input, { attempt, idempotencyKey, signal, chainId }) => {
      const { thing, ms = 0 } = input;
      const given = input.ms === undefined ? { thing } : { thing, ms };
      const call = Context.current().info.activityId;
      await pause(ms);
      const mark: Mark = { tool: name, chainId, call, input: given, pid: process.pid, attempt, idempotencyKey };
      appendFileSync(marks, `${JSON.stringify(mark)}\n`);
      if (thing === holds) await waitForAbort(signal);
      await pause(ms);
      return `${name} ${thing}: done`;
    },
  });
}

/** The file whose existence ends a call of `count`. */
export function toGoFile(marks: string): string {
  return `${marks}.go`;
}

/** Emits an interim result for each row, and ends when the test allows it. */
function createCountingTool({ marks }: KillableOptions): Tool {
  return defineTool({
    name: 'count',
    description: 'Counts the rows of a table',
    inputSchema: z.object({ rows: z.number() }),
    effects: 'read',
    heartbeatTimeout,
    execute: async ({ rows }, { emit }) => {
      await pause(1_000);
      for (let row = 1; row <= rows; row += 1) {
        emit({ counted: row, last: `canary-${row}@example.org` });
        await pause(500);
      }
      while (!existsSync(toGoFile(marks))) await pause(50);
      return `${rows} rows`;
    },
  });
}

function createApproval({ approvalMs: expires }: KillableOptions): Approval<{ readonly thing: string }> {
  if (expires === undefined) return false;
  return ({ input: { thing } }) => ({ expires, approvers: thing.startsWith('both') ? 2 : 1 });
}

function waitForAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}
