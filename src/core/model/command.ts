/** What a person says to a running chain. Each is a fact, with who, when and why. */

import type { Json } from '../lib/json.js';
import type { PartialLimits } from './limits.js';

export type DecisionInput =
  /** `input`: instead of the arguments that the model asked for. `always`: and every later call of this tool in this chain. */
  | { readonly kind: 'approve'; readonly input?: Json; readonly always?: true }
  | { readonly kind: 'deny' }
  /** To a question, or in the tool's stead. */
  | { readonly kind: 'answer'; readonly answer: Json }
  | { readonly kind: 'happened'; readonly observation: Json }
  | { readonly kind: 'not_happened' }
  | { readonly kind: 'give_up' };

/** Where a chain pauses by itself: before a step, once it has cost so much, or before a tool, which then needs approval. */
export type Breakpoint = { readonly step: number } | { readonly costUsd: number } | { readonly tool: string };

export type Command =
  /** `digest` of the request, so that what was read is what is decided; null for the request as it stands. */
  | { readonly kind: 'decide'; readonly call: string; readonly digest: string | null; readonly decision: DecisionInput }
  | { readonly kind: 'steer'; readonly text: string }
  /** At once, which is before the next step, or at a breakpoint. */
  | { readonly kind: 'pause'; readonly breakpoint: Breakpoint | null }
  | { readonly kind: 'resume' }
  | { readonly kind: 'limit'; readonly limits: PartialLimits }
  /** What was said cannot be understood; `problem` is a sentence that says why. */
  | { readonly kind: 'unreadable'; readonly problem: string };

export interface ReceivedCommand {
  /** The same however often it is sent: a chain takes it once. Null takes it each time. */
  readonly id: string | null;
  /** The chain that is meant, where the sender says so. */
  readonly chainId: string | null;
  readonly by: string | null;
  readonly roles: readonly string[];
  readonly reason: string | null;
  readonly command: Command;
}

/** Roles that each may be restricted to; anybody may do what is not named. Requests name their own. */
export interface CommandPermissions {
  readonly steer?: readonly string[];
  readonly pause?: readonly string[];
  readonly limit?: readonly string[];
  readonly cancel?: readonly string[];
}
