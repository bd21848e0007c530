/** The built-in agent that works on code, by a plan. What it writes, runs and commits a person approves, call by call. */

import { type Agent, type AgentDefinition, defineAgent } from '../agents/define-agent.js';
import type { PartialLimits } from '../core/model/limits.js';
import { codeApprovals } from '../tools/approval/approval.js';
import { askUser } from '../tools/builtin/ask-user.js';
import { fileTools } from '../tools/builtin/files.js';
import { type CodeToolsOptions, codeTools } from './code/code-tools.js';

export interface CoderOptions extends CodeToolsOptions {
  /** Default `coder`. */
  readonly name?: string;
  /** Default: `LONGHAND_MODEL`, else Claude Sonnet. */
  readonly model?: string;
  /** What it should know of this code besides: how it is built, what it must leave alone. */
  readonly instructions?: string;
  /** In place of its own, one by one. */
  readonly limits?: PartialLimits;
  /** Who has to approve what. Default `codeApprovals`. */
  readonly approval?: AgentDefinition['approval'];
}

const baseInstructions = `You work on the code in one folder, with the tools that you have.
Read before you change: what you have not read you do not know. Keep to how the code beside it is written.
Make the smallest change that does what is asked, and nothing else on the way.
What you say was run or passes, you have run. Where a command or a test fails, its output says why: read it to its end.
People read and approve what you write and run: make each call one whole thing, and say first what it is for.`;

/** A task of several parts takes many short steps; each reads code that is longer than a usual result. */
const defaultLimits = { steps: 80, tokens: 5_000_000, timeMs: 60 * 60_000 };
const maxObservationTokens = 6_000;

/**
 * An agent with `fileTools`, `codeTools` and `askUser` over one folder, and the strategy `plan`.
 *
 * @throws {TypeError} saying what to write instead
 * @example
 * export const fixer = coder({ root: '.', tests: 'npm test --' });
 * const { task, plan } = debugBug.plan({ error: 'The total is wrong by one cent.' });
 * await longhand.start(fixer, task, { plan });
 */
export function coder({ name, model, instructions, approval, ...options }: CoderOptions): Agent {
  const { limits: own, ...places } = options;
  const { root, ignore } = places;
  return defineAgent({
    name: name ?? 'coder',
    instructions: [baseInstructions, ...(instructions === undefined ? [] : [instructions])].join('\n\n'),
    model: model ?? (process.env.LONGHAND_MODEL || 'claude-sonnet-5-5'),
    strategy: 'plan',
    tools: [...fileTools(ignore === undefined ? { root } : { root, ignore }), ...codeTools(places), askUser()],
    approval: approval ?? codeApprovals,
    limits: { ...defaultLimits, ...own },
    maxObservationTokens,
  });
}
