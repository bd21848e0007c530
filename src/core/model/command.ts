/** Commands that people and programs send to a running chain. Each is a fact, with sender, time and reason. */

import type { Json } from '../lib/index.js';
import type { PartialLimits } from './limits.js';

export type DecisionInput =
  /** `input` replaces the model's arguments. `always` also approves every later call of this tool in this chain. */
  | { readonly kind: 'approve'; readonly input?: Json; readonly always?: true }
  | { readonly kind: 'deny' }
  /** Answers a question, or a call instead of its tool. */
  | { readonly kind: 'answer'; readonly answer: Json }
  | { readonly kind: 'happened'; readonly observation: Json }
  | { readonly kind: 'not_happened' }
  | { readonly kind: 'give_up' };

/** Where a chain pauses: before a step, at a cost, or before calls of a tool, which then need approval. */
export type Breakpoint = { readonly step: number } | { readonly costUsd: number } | { readonly tool: string };

export type Command =
  /** `digest` must match the request, so that the decision is about the call that was read; null skips the check. */
  | { readonly kind: 'decide'; readonly call: string; readonly digest: string | null; readonly decision: DecisionInput }
  | { readonly kind: 'steer'; readonly text: string }
  /** Pauses before the next step, or at a breakpoint. */
  | { readonly kind: 'pause'; readonly breakpoint: Breakpoint | null }
  /** Ends the pause, or a wait before something failed is tried again; with `call`, only the wait of that call. */
  | { readonly kind: 'resume'; readonly call: string | null }
  | { readonly kind: 'limit'; readonly limits: PartialLimits }
  /** Ends the wait of a call for this signal, or is kept until a call waits for it. */
  | { readonly kind: 'signal'; readonly name: string; readonly data: Json }
  /** A command that cannot be read; `problem` is a sentence with the reason. */
  | { readonly kind: 'unreadable'; readonly problem: string };

/** Most characters of a reason. A chain shortens longer ones. */
export const maxReasonLength = 1_000;

export interface ReceivedCommand {
  /** Deduplicates: a chain applies one command per id. Null is never deduplicated. */
  readonly id: string | null;
  /** The chain that the sender means, where named. */
  readonly chainId: string | null;
  readonly by: string | null;
  readonly roles: readonly string[];
  readonly reason: string | null;
  readonly command: Command;
}

/** Roles for each command; anybody may send a command whose member is absent. Requests have their own roles. */
export interface CommandPermissions {
  readonly steer?: readonly string[];
  readonly pause?: readonly string[];
  readonly limit?: readonly string[];
  readonly signal?: readonly string[];
  readonly cancel?: readonly string[];
}
