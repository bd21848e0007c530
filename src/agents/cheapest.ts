/** A ready route policy: the cheapest model that can make the call. */

import { formatUsd, LonghandError } from '../core/lib/index.js';
import { findRates, fitsWindow, getOutputRate } from '../core/model/index.js';
import {
  type ModelCapability,
  modelCapabilities,
  type RouteCandidate,
  type RouteContext,
  type RoutePolicy,
} from './route-policy.js';

export interface CheapestOptions {
  /** Capabilities that the model must have by its catalogue entry. One that the entry does not state is missing. Default: none. */
  readonly capable?: readonly ModelCapability[];
  /** Output tokens of a usual reply, for the comparison of prices. Default 1,000. */
  readonly outputTokens?: number;
}

/**
 * Returns a route policy that chooses, for each call, the model with the lowest price: of those that are allowed to see the chain's
 * data, whose window fits the conversation, and which have the capabilities. Where no model is left, the first one is used.
 *
 * @throws {LonghandError} `invalid_agent` for an unknown capability
 * @example
 * defineAgent({ …, candidates: ['claude-haiku-5-5', 'openai/gpt-x'], route: cheapest({ capable: ['tools', 'pdf'] }) });
 */
export function cheapest({ capable = [], outputTokens = 1_000 }: CheapestOptions = {}): RoutePolicy {
  const unknown = capable.find((name) => !modelCapabilities.includes(name));
  if (unknown !== undefined) {
    throw new LonghandError(
      'invalid_agent',
      `cheapest: ${JSON.stringify(unknown)} is not a capability; expected ${modelCapabilities.join(', ')}.`,
    );
  }
  return (context) => {
    const priced = context.candidates
      .filter((candidate) => isSuitable(candidate, context, capable))
      .flatMap((candidate) => {
        const usd = estimateUsd(candidate, context.contextTokens, outputTokens);
        return usd === null ? [] : [{ model: candidate.name, usd }];
      });
    const [first, ...others] = priced;
    if (first === undefined) return { model: context.models[0] ?? '', reason: explainNone(capable) };
    const best = others.reduce((lowest, each) => (each.usd < lowest.usd ? each : lowest), first);
    return { model: best.model, reason: `cheapest of ${priced.length}: about ${formatUsd(best.usd)} a call` };
  };
}

function isSuitable(
  candidate: RouteCandidate,
  { contextTokens }: RouteContext,
  capable: readonly ModelCapability[],
): boolean {
  return (
    candidate.isAllowed &&
    fitsWindow(candidate, contextTokens) &&
    capable.every((name) => candidate.capabilities.includes(name))
  );
}

/** Null for a model without a price, which cannot be compared. */
function estimateUsd({ price }: RouteCandidate, input: number, output: number): number | null {
  if (price === null) return null;
  const rates = findRates(price, input);
  return rates.input * input + getOutputRate(rates) * output;
}

function explainNone(capable: readonly ModelCapability[]): string {
  const asked = capable.length === 0 ? '' : ` with ${capable.join(', ')}`;
  return `No model${asked} has a price, fits the conversation and is allowed for it: the first one is used.`;
}
