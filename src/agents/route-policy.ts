/** The policy of an agent that chooses the model of each call, and the reading of its choice. */

import { isObject, shorten, toErrorMessage, toOneLine } from '../core/lib/index.js';
import { type CallRoute, type ModelFailureKind, maxRouteReason, type Price } from '../core/model/index.js';

/** What is known about a call before its model is chosen. */
export interface RouteContext {
  /** Number of the step that the call is for; of the last one for the call that sums up. */
  readonly step: number;
  readonly role: CallRoute['role'];
  readonly task: string;
  /** Tokens of the conversation at the last call, and an estimate of what was added since. */
  readonly contextTokens: number;
  /** Classes of the data that the chain has read, in order. */
  readonly dataClasses: readonly string[];
  /** What the limits leave; `costUsd` is null without a cost limit. */
  readonly budgetLeft: { readonly tokens: number; readonly costUsd: number | null };
  /** Models that failed or refused this call, in order. */
  readonly failures: readonly { readonly model: string; readonly failure: ModelFailureKind }[];
  /** The models that the call may use: the one without a policy first. */
  readonly models: readonly string[];
  /** Facts about these models, in the same order. */
  readonly candidates: readonly RouteCandidate[];
}

export const modelCapabilities = ['image', 'pdf', 'tools', 'structured_output', 'thinking'] as const;

export type ModelCapability = (typeof modelCapabilities)[number];

/** A model that a route policy may choose. */
export interface RouteCandidate {
  readonly name: string;
  /** Null without a price. */
  readonly price: Price | null;
  /** Size of its window; null if unknown. */
  readonly contextTokens: number | null;
  /** Most output tokens of a reply. */
  readonly maxTokens: number;
  /** What its catalogue entry states that it can. */
  readonly capabilities: readonly ModelCapability[];
  /** False where it may not see the chain's data, or a rule of the worker rejects it: a call to it would fail. */
  readonly isAllowed: boolean;
}

/**
 * Returns the name of one of `context.models`, with a reason for readers. Contract: pure and quick. It runs in the worker
 * before each attempt. If it throws, or returns another name, the first of `context.models` is used and the problem recorded.
 */
export type RoutePolicy = (context: RouteContext) => string | { readonly model: string; readonly reason?: string };

export interface RouteChoice {
  readonly model: string;
  /** The policy's reason, or the problem with its choice. */
  readonly reason: string;
}

/** Never throws. */
export function applyRoutePolicy(policy: RoutePolicy, context: RouteContext): RouteChoice {
  const [first = ''] = context.models;
  const reject = (problem: string): RouteChoice => ({ model: first, reason: toReason(problem) });
  try {
    const choice: unknown = policy(context);
    const { model, reason }: { readonly model?: unknown; readonly reason?: unknown } =
      typeof choice === 'string' ? { model: choice } : isObject(choice) ? choice : {};
    if (typeof model !== 'string') return reject('The route policy returned no name of a model.');
    if (!context.models.includes(model)) {
      return reject(
        `The route policy chose ${model}, which this call cannot use; expected ${context.models.join(', ')}.`,
      );
    }
    return { model, reason: typeof reason === 'string' && reason !== '' ? toReason(reason) : 'route policy' };
  } catch (error) {
    return reject(`The route policy threw: ${toErrorMessage(error)}`);
  }
}

function toReason(text: string): string {
  return shorten(toOneLine(text), maxRouteReason);
}
