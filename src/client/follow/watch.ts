/**
 * Follows a chain as a viewer may see it (L8): for an end user's page, an auditor's screen, a terminal.
 *
 * 1. Only content that `view` would show to the same viewer is emitted, tokens included.
 * 2. A step is emitted when it appears and after each visible change: when a call is made and when it ends. The last
 *    version of each step, in place, is the view.
 * 3. Emitted steps are final. From a position, watching continues without gap or repeat.
 */

import type { TokenSubscriber } from '../../contract/index.js';
import { emptyRecord, recordEntries } from '../../core/engine/index.js';
import { type Chain, type ChainState, emptyState } from '../../core/model/index.js';
import { computeClosedResult, ItemNumbers } from '../../core/record/index.js';
import {
  allPreferencesOn,
  buildReasoning,
  buildRedactionPolicy,
  type ChildStatus,
  canReadInternals,
  canReadTokens,
  canSeeAll,
  createLiveView,
  createTokenFilter,
  emptyReasoningContext,
  formatLengthWarning,
  isVisibleTo,
  type LiveViewUpdate,
  listChildUpdates,
  type ParentCall,
  type Reasoning,
  type ReasoningView,
  type Viewer,
  type VisibilityConfig,
  view,
} from '../../core/view/index.js';
import type { ReadChain } from '../read/chain-pages.js';
import type { ChainSource } from '../read/chain-source.js';
import { createEndFinder, type EventPosition, followPageEvents, PositionFilter } from '../read/read-chain.js';
import type { NewPiece } from './assemble-pieces.js';
import type { WatchEvent } from './event.js';
import type { FollowOptions } from './follow.js';
import { followTree } from './follow-tree.js';
import { createInterimFilter } from './interim-filter.js';
import { mergeTokens } from './merge-token-stream.js';

export interface WatchOptions extends Pick<FollowOptions, 'from' | 'signal'> {
  /** Visibility rules. Default: everything that the role may see. */
  readonly visibility?: VisibilityConfig;
  /**
   * Whether to emit tokens while the model replies, from all workers that this client reaches, if the viewer may see the
   * complete reply. Default false.
   */
  readonly tokens?: boolean;
  /** Whether to emit the interim results of running calls whose results the viewer may see in full. Default false. */
  readonly interim?: boolean;
  /** Whether to follow the histories of sub-chains for their status. Default false. */
  readonly children?: boolean;
  /** Whether to emit the plan and the spending so far at the end of each turn. Default false. */
  readonly turns?: boolean;
}

export async function* watch(
  source: ChainSource,
  channel: TokenSubscriber | null,
  viewer: Viewer,
  { tokens = false, interim = false, ...options }: WatchOptions = {},
): AsyncGenerator<WatchEvent, void> {
  const openEvents = (signal = options.signal) =>
    watchTurns(source, viewer, { ...options, ...(signal ? { signal } : {}) });
  if ((!tokens && !interim) || channel === null) {
    for await (const { events } of openEvents()) for (const event of events) yield event();
    return;
  }
  const live = { tokens, interim };
  const both = mergeTokens(openEvents, { channel, chainId: source.chainId, signal: options.signal, live });
  yield* watchLive(source, both, viewer, options);
}

/** Events of a turn, and the chain at its end. */
interface WatchBatch {
  /** Functions: events are built only when emitted. */
  readonly events: readonly (() => WatchEvent)[];
  readonly reasoning: Reasoning;
  /** Null if the calls are those of the batch before. */
  readonly viewInterim: LiveViewUpdate['viewInterim'] | null;
}

async function* watchTurns(
  source: ChainSource,
  viewer: Viewer,
  { from, signal, visibility = {}, children = false, turns: emitsTurns = false }: WatchOptions,
): AsyncGenerator<WatchBatch, void> {
  const { chainId } = source;
  const after = new PositionFilter(from);
  const findEnd = createEndFinder();
  let runId = source.runId;
  const numbers = new ItemNumbers();
  const place = (eventId: number, unplaced: readonly (() => UnplacedEvent)[]) => {
    // The end of a turn has its place also where it is not emitted.
    const first = numbers.take(runId, eventId, unplaced.length + (emitsTurns ? 0 : 1));
    return unplaced.flatMap((make, at) => {
      const position = { chainId, runId, eventId, item: first + at };
      return after.includes(position) ? [() => ({ ...position, ...make() })] : [];
    });
  };
  const look = createLiveView(viewer, visibility);
  let chain: Chain = { ...emptyRecord, state: emptyState };
  let hasBegun = false;
  // Always from the start, also with a position: marks are numbered from the chain's start.
  let reached = 0;
  const isChildVisible = createChildFilter(viewer, visibility);
  for await (const change of children ? followTree(source, signal) : followPageEvents(source, signal)) {
    if (change.kind === 'update') {
      const { child, parents } = change.update;
      if (!isChildVisible(child, parents)) continue;
      const position = { chainId, runId, eventId: reached, item: 0 };
      const event = () => ({ ...position, type: 'sub-chain-changed', child, provisional: true }) as const;
      yield { events: [event], reasoning: buildReasoning(chain), viewInterim: null };
      continue;
    }
    const { turns, read } = change.page;
    runId = read.runId;
    reached = read.eventId;
    const endEventId = findEnd(change.page);
    after.enterRun(runId);
    for (const { eventId, entries, state } of turns) {
      chain = recordEntries(chain, state, entries);
      const liveView = look(chain, read.attempts);
      const begins: boolean = !hasBegun && (liveView.reasoning.tools !== null || liveView.changedSteps.length > 0);
      hasBegun ||= begins;
      const head = begins ? [() => ({ type: 'view-opened', view: viewHead(state, viewer, visibility) }) as const] : [];
      const news = listChildUpdates(entries, liveView.reasoning, chain).filter(({ child, parentCalls }) =>
        isChildVisible(child, parentCalls),
      );
      const below = news.map(
        ({ child }) =>
          () =>
            ({ type: 'sub-chain-changed', child }) as const,
      );
      const { reasoning, viewInterim } = liveView;
      const end = emitsTurns ? [() => toTurnEvent(liveView)] : [];
      yield { events: place(eventId, [...head, ...toStepEvents(liveView), ...below, ...end]), reasoning, viewInterim };
    }
    if (read.closed === null) continue;
    const reasoning = toFinalReasoning(read);
    const end = () => ({ type: 'view-completed', view: view(reasoning, viewer, visibility) }) as const;
    yield { events: place(endEventId, [end]), reasoning, viewInterim: null };
  }
}

/**
 * Returns whether the viewer may see a sub-chain. While one has open requests, and when they close, a switch of the viewer
 * does not hide it: a person waits for the decision.
 */
function createChildFilter(viewer: Viewer, visibility: VisibilityConfig) {
  const awaited = new Set<string>();
  const switchedOn = { ...viewer, preferences: allPreferencesOn };
  return ({ chainId, requests }: ChildStatus, parents: readonly ParentCall[]): boolean => {
    const isAwaited = awaited.delete(chainId) || requests > 0;
    if (requests > 0) awaited.add(chainId);
    return isVisibleTo(parents, isAwaited ? switchedOn : viewer, visibility);
  };
}

type UnplacedEvent = WatchEvent extends infer E ? (E extends WatchEvent ? Omit<E, keyof EventPosition> : never) : never;

function toStepEvents({
  changedSteps,
  reasoning: { state },
  progress,
}: LiveViewUpdate): readonly (() => UnplacedEvent)[] {
  return changedSteps.map((step) => () => {
    const warning = formatLengthWarning(step.number);
    const changed = { type: 'step-changed', step, state, progress: progress() } as const;
    return warning === null ? changed : { ...changed, warning };
  });
}

function toTurnEvent({ reasoning, viewPlan }: LiveViewUpdate) {
  const { state, steps, tokens, costUsd } = reasoning;
  const plan = viewPlan();
  const waitingCalls = new Set(
    steps.flatMap((step) => (step.kind === 'approval' && step.status === 'waiting' ? [step.correlationId] : [])),
  );
  const running = steps.filter(
    (step) => step.kind === 'tool_call' && step.status === 'pending' && !waitingCalls.has(step.correlationId),
  );
  const awaitsPeople = waitingCalls.size > 0 && running.length === 0;
  return {
    ...({ type: 'turn-completed', state, awaitsPeople, tokens, costUsd } as const),
    ...(plan === null ? {} : { plan }),
  };
}

function viewHead(state: ChainState, viewer: Viewer, visibility: VisibilityConfig): ReasoningView {
  return view(buildReasoning({ ...emptyRecord, state }), viewer, visibility);
}

function toFinalReasoning(read: ReadChain): Reasoning {
  return buildReasoning(read.chain, {
    ...emptyReasoningContext,
    attempts: read.attempts,
    result: computeClosedResult(read),
  });
}

async function* watchLive(
  { chainId, runId }: ChainSource,
  both: ReturnType<typeof mergeTokens<WatchBatch>>,
  viewer: Viewer,
  { visibility: config = {} }: WatchOptions,
): AsyncGenerator<WatchEvent, void> {
  let position: EventPosition = { chainId, runId, eventId: 0, item: 0 };
  let filterPiece: PieceFilter | null = null;
  let steps = 0;
  // Held until the tools are known: they decide who may see tokens.
  const received: NewPiece[] = [];
  const toInterimEvents = createInterimFilter();
  for await (const next of both) {
    if (next.kind === 'interim') {
      for (const event of toInterimEvents.add(next.piece)) yield { ...position, ...event };
      continue;
    }
    if (next.kind === 'token') {
      received.push(next.piece);
    } else {
      const { reasoning, events, viewInterim } = next.event;
      steps = Math.max(steps, ...reasoning.steps.map(({ number }) => number));
      if (reasoning.tools !== null) filterPiece ??= createPieceFilter(reasoning, viewer, config);
      for (const make of events) {
        const event = make();
        position = { chainId, runId: event.runId, eventId: event.eventId, item: event.item };
        yield event;
      }
      if (viewInterim !== null) for (const event of toInterimEvents.look(viewInterim)) yield { ...position, ...event };
    }
    if (filterPiece === null) continue;
    for (const piece of received.splice(0)) {
      const { step, call } = piece;
      const { text, missing } = step > steps ? filterPiece(piece) : nothing;
      if (text !== '' || missing > 0) yield { ...position, type: 'token', step, call, text, missing };
    }
  }
}

/** Returns the visible text of a piece, possibly empty. */
type PieceFilter = (piece: NewPiece) => Pick<NewPiece, 'text' | 'missing'>;

const nothing = { text: '', missing: 0 };

function createPieceFilter(chain: Reasoning, viewer: Viewer, config: VisibilityConfig): PieceFilter {
  if (canSeeAll({ viewer, chain })) return (piece) => piece;
  const policy = buildRedactionPolicy(chain, config);
  const options = { hidesPrivate: !canReadInternals({ viewer, chain }) };
  let filter = createTokenFilter(policy, options);
  let lastCall = '';
  return ({ step, call, text, missing }) => {
    if (!canReadTokens(step, { viewer, config, chain, path: '' })) return nothing;
    if (call !== lastCall) filter = createTokenFilter(policy, options);
    lastCall = call;
    return { text: filter(step, text, missing), missing };
  };
}
