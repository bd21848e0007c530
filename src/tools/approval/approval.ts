/**
 * Who has to agree before a call is run, as users write it: for a tool, an agent, a tenant or a whole worker.
 *
 * Each of these layers says one of four things of a call: nothing, ask a person, granted, or denied. A denial holds,
 * whichever layer it comes from. Otherwise a person is asked by all the rules that were named, the strictest of each; a
 * layer that grants takes back its own word and that of the layers below it. From above: platform, tenant, agent, tool.
 */

import type { Json } from '../../core/lib/json.js';
import type { Effects } from '../../core/model/agent.js';
import type { Risk } from '../../core/model/request.js';
import type { Duration } from './duration.js';

/** How a person is asked. Everything may be left out: `{}` says no more than `true`. */
export interface ApprovalOptions {
  /** One sentence for the person who is asked. */
  readonly reason?: string | undefined;
  /** Default by the tool's effects: `unsafe` high, `idempotent` medium, `read` low. */
  readonly risk?: Risk | undefined;
  /** Who may decide: one of these roles is enough. Default anybody. */
  readonly roles?: readonly string[] | undefined;
  /** How many different people have to approve. Default 1; one denial is always enough. */
  readonly approvers?: number | undefined;
  /** Whether the user for whom the chain runs may decide. Default true. */
  readonly byRequester?: boolean | undefined;
  /** Milliseconds or `'2 hours'`; null waits for ever. Default 7 days. */
  readonly expires?: Duration | null | undefined;
  /** What becomes of a call that nobody has decided on in time. Default `'deny'`. */
  readonly onExpiry?: 'deny' | 'approve' | undefined;
  /** Who may decide besides, once nobody has for so long: milliseconds or `'2 hours'`. */
  readonly escalate?: { readonly after: Duration; readonly roles: readonly string[] } | undefined;
}

/** What a layer says of a call. */
export type ApprovalVerdict =
  /** A person has to approve. */
  | true
  | ApprovalOptions
  /** This layer asks for nothing; others may. A tool that says `false` needs no approval although it is unsafe. */
  | false
  /** No opinion: for all but a tool the same as `false`. An unsafe tool without an opinion needs approval. */
  | null
  | undefined
  /** Needs none, whatever this layer and those below it say. Layers above may still ask. */
  | { readonly grant: true }
  /** It is not run and nobody is asked: the model is told why, in a sentence. */
  | { readonly deny: string };

/** The call that a policy decides on. A tool's own policy knows its arguments by the tool's schema. */
export interface ApprovalCase<Input = Json> {
  readonly tool: string;
  readonly effects: Effects;
  /** As the model wrote them, or a person set them; the tool's own defaults and transforms come later. */
  readonly input: Input;
  readonly agent: string;
  readonly chainId: string;
  /** From 1. */
  readonly step: number;
  readonly tenant: string | null;
  /** For whom the chain runs, and what they are. */
  readonly user: string | null;
  readonly roles: readonly string[];
  /** What the chain has used so far, this reply included. */
  readonly tokens: number;
  /** US dollars; null where the model has no price. */
  readonly costUsd: number | null;
}

/**
 * Decides call by call, in the worker; it may do I/O. Contract: one that throws, says what is no verdict, or takes longer
 * than `defaults.checkMs`, has a person asked.
 */
export type ApprovalPolicy<Input = Json> = (call: ApprovalCase<Input>) => ApprovalVerdict | Promise<ApprovalVerdict>;

/** A verdict for every call, or a policy. */
export type Approval<Input = Json> = ApprovalVerdict | ApprovalPolicy<Input>;

/** For many tools: one policy, or what holds for each by its name. */
export type ToolApprovals = ApprovalPolicy | { readonly [tool: string]: Approval };

/** What a worker asks for, whichever agent it is. */
export interface WorkerApprovals {
  /** For all tenants. */
  readonly platform?: ToolApprovals | undefined;
  /** By tenant. */
  readonly tenants?: { readonly [tenant: string]: ToolApprovals } | undefined;
}

/**
 * Presets: calls of `git_push`, `git_commit`, `file_write`, `file_edit`, `run_tests` and `shell_exec` need approval.
 *
 * A program reads its code and its settings from files, so an agent that writes files unapproved decides what runs.
 *
 * @example
 * defineAgent({ name: 'deployer', approval: codeApprovals, … })
 * defineTool({ name: 'git_push', approval: codeApprovals.git_push, … })
 * runWorker({ agents, approvals: { platform: { ...codeApprovals, deploy: { roles: ['release-manager'] } } } })
 */
export const codeApprovals = {
  git_push: { reason: 'Pushes to a remote, where others see it and build on it.', risk: 'high' },
  git_commit: { reason: 'Creates a commit.', risk: 'medium' },
  file_write: { reason: 'Writes files.', risk: 'medium' },
  file_edit: { reason: 'Changes a file.', risk: 'medium' },
  run_tests: { reason: 'Runs code and settings that the agent may have written.', risk: 'medium' },
  shell_exec: { reason: 'Runs a command with the rights of the worker.', risk: 'high' },
} as const satisfies { readonly [tool: string]: ApprovalOptions };
