/** How a chain starts: with what anyone may have written. Without what it takes, it ends before it begins. */

import { isTooDeepInput } from '../lib/cut-deep.js';
import { isObject, type JsonObject } from '../lib/json.js';
import type { ChainInput, Fact } from '../model/fact.js';
import { isLineage } from '../model/lineage.js';
import { isKnownRules, unknownRules } from '../model/rules.js';
import { emptyState, type State } from '../model/state.js';
import type { StopReason } from '../model/stop-reason.js';
import { type Advance, andThen, emit } from '../state/advance.js';
import { stopWith } from '../state/stop.js';

export function start(state: State, { chainId, input, at }: Extract<Fact, { type: 'started' }>): Advance {
  const own = withoutOrigin(input);
  const { now, history, facts, head } = state;
  // Facts of the same task may have come before it.
  const started = emit(
    { ...emptyState, ...{ now, history, facts, head }, input: own, chainId, startedAt: at },
    { type: 'started', at, input: own },
  );
  const wrong = problemWithInput(input);
  return wrong === null ? started : andThen(started, (next) => stopWith(next, 'failure', wrong));
}

/** Which of what a chain cannot do without is missing, as the reason of its end. */
function problemWithInput(input: unknown): StopReason | null {
  if (isTooDeepInput(input)) return { code: 'nested_start' };
  const said: JsonObject = isObject(input) ? input : {};
  const { rules = null, agent, task, lineage } = said;
  if (!isKnownRules(rules)) return unknownRules(rules);
  if (typeof agent !== 'string' || typeof task !== 'string') return { code: 'incomplete_start' };
  const wrong = ofCaller.find((member) => !isTextOrNone(said[member]));
  if (wrong !== undefined) return { code: 'invalid_start', member: wrong };
  return lineage === undefined || isLineage(lineage) ? null : { code: 'invalid_lineage' };
}

const ofCaller = ['model', 'tenant', 'user'] as const;

function isTextOrNone(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string';
}

/** What it carries of another chain is read once, by `adopt`. */
function withoutOrigin(input: ChainInput): ChainInput {
  // A state that is nested too deeply could not be written.
  if (isTooDeepInput(input))
    return { rules: 0, agent: '', task: '', model: null, limits: {}, tenant: null, user: null, roles: [] };
  if (!isObject(input) || input.origin === undefined) return input;
  const { origin: _, ...own } = input;
  return own;
}
