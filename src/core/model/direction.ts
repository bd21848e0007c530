/** What a person says to a running chain. Each is a fact, with who, when and why. */

import type { Json } from '../lib/json.js';
import type { SomeLimits } from './limits.js';

export type Decision =
  /** `input`: instead of the arguments that the model asked for. `always`: and every later call of this tool in this chain. */
  | { readonly what: 'approve'; readonly input?: Json; readonly always?: true }
  | { readonly what: 'deny' }
  /** To a question, or in the tool's stead. */
  | { readonly what: 'answer'; readonly answer: Json }
  | { readonly what: 'happened'; readonly observation: Json }
  | { readonly what: 'not_happened' }
  | { readonly what: 'give_up' };

/** Where a chain pauses by itself: before a step, once it has cost so much, or before a tool, which then needs approval. */
export type Breakpoint = { readonly step: number } | { readonly costUsd: number } | { readonly tool: string };

export type Direction =
  /** `digest` of the request, so that what was read is what is decided; null for the request as it stands. */
  | { readonly kind: 'decide'; readonly call: string; readonly digest: string | null; readonly decision: Decision }
  | { readonly kind: 'steer'; readonly text: string }
  /** At once, which is before the next step, or at a breakpoint. */
  | { readonly kind: 'pause'; readonly at: Breakpoint | null }
  | { readonly kind: 'resume' }
  | { readonly kind: 'limit'; readonly limits: SomeLimits }
  /** What was said cannot be understood; `problem` is a sentence that says why. */
  | { readonly kind: 'unreadable'; readonly problem: string };

export interface Directed {
  /** The same however often it is sent: a chain takes it once. Null takes it each time. */
  readonly id: string | null;
  /** The chain that is meant, where the sender says so. */
  readonly chainId: string | null;
  readonly by: string | null;
  readonly roles: readonly string[];
  readonly reason: string | null;
  readonly direction: Direction;
}

/** Roles that each may be restricted to; anybody may do what is not named. Requests name their own. */
export interface Permissions {
  readonly steer?: readonly string[];
  readonly pause?: readonly string[];
  readonly limit?: readonly string[];
  readonly cancel?: readonly string[];
}
