/** The built-in agent for code, with the strategy `plan`. A person approves each call that writes, runs or commits. */

import { type Agent, type AgentDefinition, defineAgent } from '../agents/index.js';
import type { LimitOptions } from '../options/index.js';
import { askUser, fileTools } from '../tools/builtin/index.js';
import { codeApprovals } from '../tools/define/index.js';
import { type CodeToolsOptions, codeTools } from './code/code-tools.js';

export interface CoderOptions extends CodeToolsOptions {
  /** Default `coder`. */
  readonly name?: string;
  /** Default: `LONGHAND_MODEL`, else Claude Sonnet. */
  readonly model?: string;
  /** Additional instructions for this code: how it is built, what must not be changed. */
  readonly instructions?: string;
  /** Each limit replaces the default. */
  readonly limits?: LimitOptions;
  /** Default `codeApprovals`. */
  readonly approval?: AgentDefinition['approval'];
}

const baseInstructions = `You work on the code in one folder with your tools.
Read code before you change it. Follow the style of the surrounding code.
Make the smallest change that does what is asked, and nothing else.
Never claim that something was run or passes unless you have run it. If a command or a test fails, read its output to the end.
People review and approve what you write and run: make each call one complete change, and state its purpose first.`;

/** Code tasks take many short steps and read long files. */
const defaultLimits = { steps: 80, tokens: 5_000_000, time: '1h' } satisfies LimitOptions;
const maxObservationTokens = 6_000;

/**
 * Creates an agent with `fileTools`, `codeTools` and `askUser` for one folder, and the strategy `plan`.
 *
 * @throws an error with what is wrong and the fix
 * @example
 * export const fixer = coder({ root: '.', tests: 'npm test --' });
 * const { task, plan } = debugBug.plan({ error: 'The total is wrong by one cent.' });
 * await longhand.start(fixer, task, { plan });
 */
export function coder({ name, model, instructions, approval, ...options }: CoderOptions): Agent {
  const { limits: own, ...places } = options;
  const { root, ignore, roles } = places;
  const shared = { root, ...(roles === undefined ? {} : { roles }) };
  return defineAgent({
    name: name ?? 'coder',
    instructions: [baseInstructions, ...(instructions === undefined ? [] : [instructions])].join('\n\n'),
    model: model ?? (process.env.LONGHAND_MODEL || 'claude-sonnet-5-5'),
    strategy: 'plan',
    tools: [...fileTools(ignore === undefined ? shared : { ...shared, ignore }), ...codeTools(places), askUser()],
    approval: approval ?? codeApprovals,
    limits: { ...defaultLimits, ...own },
    maxObservationTokens,
  });
}
