/**
 * Approval settings of a tool, an agent, a tenant or a worker.
 *
 * The layers, from the highest: platform, tenant, agent, tool. Each has one of four verdicts on a call: none, request
 * approval, grant, deny. A grant overrides the layers below it. Of the remaining layers, one denial denies the call;
 * otherwise the rules of all requests apply, the strictest of each.
 */

import type { Json } from '../../../core/lib/index.js';
import type { Effects, Risk, Step } from '../../../core/model/index.js';
import type { Duration } from '../../../options/index.js';

/** Options of the request. All are optional: `{}` equals `true`. */
export interface ApprovalOptions {
  /** One sentence for the person who decides. */
  readonly reason?: string | undefined;
  /** Default by the tool's effects: `unsafe` high, `idempotent` medium, `read` low. */
  readonly risk?: Risk | undefined;
  /** Roles that may decide; one of them is enough. Default: any person. */
  readonly roles?: readonly string[] | undefined;
  /** How many different people must approve. Default 1; one denial is always enough. */
  readonly approvers?: number | undefined;
  /** Whether the user for whom the chain runs may decide. Default true. */
  readonly byRequester?: boolean | undefined;
  /** Milliseconds or `'2 hours'`; null never expires. Default 7 days. */
  readonly expires?: Duration | null | undefined;
  /** The decision when the request expires. Default `'deny'`. */
  readonly onExpiry?: 'deny' | 'approve' | undefined;
  /** Roles that may decide too, after a time without a decision: milliseconds or `'2 hours'`. */
  readonly escalate?: { readonly after: Duration; readonly roles: readonly string[] } | undefined;
}

/** A layer's verdict on a call. */
export type ApprovalVerdict =
  /** A person must approve. */
  | true
  | ApprovalOptions
  /** This layer requires no approval; others may. Of a tool: no approval, even if it is unsafe. */
  | false
  /** No verdict: the same as `false`, except that an unsafe tool without a verdict needs approval. */
  | null
  | undefined
  /** Overrides the layers below. Layers above may still require approval. */
  | { readonly grant: true }
  /** The call is not executed and no request is made; the model sees the reason, a sentence. */
  | { readonly deny: string }
  /** The call is not executed, and the chain ends as `failure` with the reason, a sentence. */
  | { readonly end: string };

/** The call that a policy decides. In a tool's own policy, `input` has the type of the tool's schema. */
export interface ApprovalCase<Input = Json> {
  readonly tool: string;
  readonly effects: Effects;
  /** The arguments as the model wrote or a person changed them, before the schema's defaults and transforms. */
  readonly input: Input;
  readonly agent: string;
  readonly chainId: string;
  /** From 1. */
  readonly step: number;
  readonly tenant: string | null;
  /** The user of the chain, and the user's roles. */
  readonly user: string | null;
  readonly roles: readonly string[];
  /** Tokens that the chain has used so far, including this reply. */
  readonly tokens: number;
  /** US dollars; null if the model has no price. */
  readonly costUsd: number | null;
  /** The thought of the reply that requests the call; null if it has none. */
  readonly thought: string | null;
  /** The chain's task. */
  readonly task: string;
  /** The task of the plan that the call serves; null without a plan. */
  readonly planTask: { readonly id: string; readonly description: string } | null;
  /** Classes of the data that the chain has read. */
  readonly dataClasses: readonly string[];
  /** Returns the steps before this reply, the newest last. Not copied: do not change them. */
  readonly readSteps: () => readonly Step[];
}

/**
 * Decides each call. Runs in the worker and may do I/O. If it throws, returns an invalid verdict or takes longer than
 * `defaults.checkMs`, the call needs approval.
 */
export type ApprovalPolicy<Input = Json> = (call: ApprovalCase<Input>) => ApprovalVerdict | Promise<ApprovalVerdict>;

/** A verdict for every call, or a policy. */
export type Approval<Input = Json> = ApprovalVerdict | ApprovalPolicy<Input>;

/** Approvals of many tools: one policy, or an approval by tool name. */
export type ToolApprovals = ApprovalPolicy | { readonly [tool: string]: Approval };

/** Approvals that a worker requires of all agents. */
export interface WorkerApprovals {
  /** For all tenants. */
  readonly platform?: ToolApprovals | undefined;
  /** By tenant. */
  readonly tenants?: { readonly [tenant: string]: ToolApprovals } | undefined;
  /** For all tenants, after the rules of the layers. */
  readonly policy?: WrittenPolicy | undefined;
}

/**
 * A policy as a text, which a model compares each step with before a call of the step runs or its answer ends the chain. One
 * model call more for each step. A chain keeps the policy that it started with.
 */
export interface WrittenPolicy {
  /** Rules in plain sentences. At most 16,000 characters. */
  readonly text: string;
  /** The model that reads the step, as a definition names it. */
  readonly model: string;
  /** Agents whose steps are compared. Default: all. */
  readonly agents?: readonly string[] | undefined;
  /** Roles that decide what the policy leaves to a person. Default: any person. */
  readonly roles?: readonly string[] | undefined;
}

/** Characters of a written policy. */
export const maxPolicyLength = 16_000;

/**
 * Presets: `git_push`, `git_commit`, `file_write`, `file_edit`, `run_tests` and `shell_exec` need approval.
 *
 * Programs load code and settings from files, so an agent that writes files without approval decides what runs.
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
