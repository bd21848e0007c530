/**
 * The start of a fork: with the steps of its origin, but without their charge.
 *
 * 1. The origin's turns are replayed as recorded, and must give the digest that the fork names. All nested origins share one
 *    limit of bytes, which is checked before anything is unpacked.
 * 2. The conversation is adopted. Charges, time, stops, timers and stall counters start again, and so do reusable calls: an
 *    old read may no longer be true.
 * 3. Steps and calls continue the numbers of the origin. Idempotency keys are the fork's own.
 */

import { countUnpackedBytes, isTooDeep, maxUnpackedBytes, type Sha256 } from '../lib/index.js';
import {
  type AgentSnapshot,
  type ChainInput,
  type ChainState,
  changeState,
  computeForkDepth,
  emptyState,
  type Fact,
  getStrategyName,
  type HistorySize,
  isAside,
  maxForkDepth,
  mergeDataClasses,
  type NoticeCode,
  noUsage,
  type Origin,
  type OriginRef,
  removeThinking,
  type Step,
} from '../model/index.js';
import type { Hasher } from './advance.js';
import { rethrowMachineError } from './fault.js';
import { isOrigin, unpackTurns } from './recorded-turn.js';
import { type Advance, andThen, emit } from './state/advance.js';
import { addMessageBytes } from './state/budget.js';
import { type ChainEntry, emptyRecord, recordEntries } from './state/entry.js';
import { isStepOpen } from './state/flight.js';
import { isFromOtherModel, listKnownTools } from './state/fork.js';
import { countConversationBytes, countMessageBytes } from './state/observation.js';
import { stopChain } from './state/stop.js';

/** Takes a turn of the origin. Passed in by turn.ts, which calls this file. */
type TurnReplayer = (
  state: ChainState,
  history: HistorySize,
  facts: readonly Fact[],
  hasher: Hasher | undefined,
  nesting: OriginNesting,
) => Advance;

/** The position of an origin inside other origins. */
export interface OriginNesting {
  /** Number of origins around it. */
  readonly depth: number;
  /** Bytes that may still be unpacked: one account, shared by all nested origins. */
  readonly remaining: { bytes: number };
}

/** Creates the nesting of an origin that no other contains. */
export function createOriginNesting(): OriginNesting {
  return { depth: 0, remaining: { bytes: maxUnpackedBytes } };
}

export function adoptOrigin(
  advance: Advance,
  input: ChainInput,
  replayTurn: TurnReplayer,
  hasher?: Hasher,
  nesting = createOriginNesting(),
): Advance {
  // A chain without a readable input has already stopped. Other programs may send null for no origin.
  if (advance.state.stop !== null || !input.origin) return advance;
  const { origin } = input;
  // Invariant 1: hashed also by readers that do not hash the fork's own facts.
  const sha256 = typeof hasher === 'object' ? hasher.onlyOrigins : hasher;
  const taken = isOrigin(origin) ? replayOrigin(origin, replayTurn, sha256, nesting) : null;
  if (taken === null) {
    return andThen(advance, (state) => stopChain(state, 'failure', { code: 'unreadable_origin' }));
  }
  const entries = taken.entries.flatMap((entry) => listAdoptedEntries(entry, taken));
  const adopted = andThen(advance, (state) => emit(adoptState(state, taken, origin), ...entries));
  const { message: text } = origin;
  if (text === null) return adopted;
  return andThen(adopted, (state) => {
    const message = { text, by: input.user, afterStep: origin.steps, at: state.now };
    return emit(addMessageBytes(state, countMessageBytes(message)), {
      type: 'message-received',
      at: state.now,
      message,
    });
  });
}

/** Nesting levels of a turn's facts: 200 for each value in them, and the fact around it. */
const maxFactDepth = 220;

interface ReplayedOrigin {
  readonly state: ChainState;
  readonly agent: AgentSnapshot;
  readonly entries: readonly ChainEntry[];
}

/** Invariant 1. Turns may be forged and hold anything: errors while they are replayed make the origin unreadable. */
function replayOrigin(
  origin: Origin,
  replayTurn: TurnReplayer,
  sha256: Sha256 | undefined,
  nesting: OriginNesting,
): ReplayedOrigin | null {
  try {
    return hasRoom(origin, nesting)
      ? replayOriginTurns(origin, replayTurn, sha256, { ...nesting, depth: nesting.depth + 1 })
      : null;
  } catch (error) {
    rethrowMachineError(error);
    return null;
  }
}

/** Subtracts the origin's bytes even if it is rejected later: reading it takes time either way. */
function hasRoom({ turns }: Origin, { depth, remaining }: OriginNesting): boolean {
  remaining.bytes -= countUnpackedBytes(turns);
  return depth < maxForkDepth && remaining.bytes >= 0;
}

function replayOriginTurns(
  origin: Origin,
  replayTurn: TurnReplayer,
  sha256: Sha256 | undefined,
  nesting: OriginNesting,
): ReplayedOrigin | null {
  let state = emptyState;
  const entries: ChainEntry[] = [];
  for (const { history, facts } of unpackTurns(origin.turns) ?? []) {
    // Code that reads facts may recurse, and an exhausted stack is rethrown.
    if (isTooDeep(facts, maxFactDepth)) return null;
    const turn = replayTurn(state, history, facts, sha256, nesting);
    state = turn.state;
    entries.push(...turn.entries);
  }
  const { agent, head, steps } = state;
  if (agent === null || head !== origin.digest || steps !== origin.steps || isStepOpen(state)) return null;
  return computeForkDepth(state) > maxForkDepth ? null : { state, agent, entries };
}

/** Invariant 2. */
function adoptState(chainState: ChainState, { state, agent, entries }: ReplayedOrigin, origin: Origin): ChainState {
  const { chainId, runId, steps } = origin;
  const ref: OriginRef = {
    chainId,
    runId,
    steps,
    provider: agent.model.provider,
    model: agent.model.id,
    strategy: getStrategyName(agent.strategy),
    definition: agent.digest,
    tools: (listKnownTools(state) ?? []).map(({ name, kind, view }) => ({ name, kind, view })),
    depth: computeForkDepth(state),
    bytes: countConversationBytes(recordEntries(emptyRecord, state, entries)),
  };
  return changeState(chainState, {
    origin: ref,
    dataClasses: mergeDataClasses(chainState.dataClasses, state.dataClasses),
    steps,
    ...adoptCounts(state),
    context: state.context,
    ...(state.contexts === undefined ? {} : { contexts: state.contexts }),
    conversation: state.conversation,
    scratchpad: state.scratchpad,
    partialFindings: state.partialFindings,
    plan: state.plan,
    planning: state.planning,
  });
}

/** Calls continue the numbers of the origin. One that its last turn began is not part of the fork. */
function adoptCounts({ flight, modelCalls, asides }: ChainState): Pick<ChainState, 'modelCalls' | 'asides'> {
  const begun = flight.kind === 'model' ? flight.purpose : null;
  const isAsideBegun = begun !== null && isAside(begun);
  return {
    modelCalls: begun === null || isAsideBegun ? modelCalls : modelCalls - 1,
    ...(asides === undefined ? {} : { asides: isAsideBegun ? asides - 1 : asides }),
  };
}

/** Returns the entries of an origin that the fork adopts: steps, messages, and what explains them. */
function listAdoptedEntries(entry: ChainEntry, { state }: ReplayedOrigin): readonly ChainEntry[] {
  switch (entry.type) {
    case 'chain-started':
    case 'agent-prepared':
    // Its sub-chains remain in its own history.
    case 'sub-chain-started':
    case 'sub-chain-ended':
      return [];
    case 'step-added':
      return [{ ...entry, step: omitCharge(omitOtherModelsThinking(entry.step, state)) }];
    case 'notice-added':
      // The fork has its own budget.
      if (entry.notice.code === 'limit_usage') return [];
      // Notices after the last step describe the rest of the origin.
      return entry.notice.step < state.steps || lastingNotices.has(entry.notice.code) ? [entry] : [];
    case 'message-received':
    case 'turn-paused':
    case 'call-completed':
    case 'request-opened':
    case 'request-decided':
    case 'plan-changed':
    case 'guidance-added':
      return [entry];
  }
}

/** Notices that also hold for a fork: an unknown outcome stays unknown, and a summary stays in its requests. */
const lastingNotices: ReadonlySet<NoticeCode> = new Set(['outcome_unknown', 'compacted'] as const);

/** The origin may be a fork itself, and may have changed its model. */
function omitOtherModelsThinking(step: Step, state: ChainState): Step {
  return isFromOtherModel(state, step) ? { ...step, content: removeThinking(step.content) } : step;
}

/** Removes charges that the origin paid. */
function omitCharge(step: Step): Step {
  const { charged: _, ...uncharged } = step;
  return { ...uncharged, usage: noUsage, costUsd: step.costUsd === null ? null : 0 };
}
