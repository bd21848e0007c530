/**
 * A chain as somebody may see it, while it goes on (L8): for an end user's page, an auditor's screen, a terminal.
 *
 * 1. Nothing is told that `view` would not show to the same viewer. Not by way of what is being said either.
 * 2. A step is told when it is there, and again whenever what is seen of it has changed: a call when it is made and when
 *    it has ended. The last telling of each, in their places, is the view.
 * 3. What is told is final. From a position it goes on without a gap or a repeat.
 */

import type { TokenChannel, TokenPiece } from '../../contract/tokens.js';
import type { Chain } from '../../core/model/chain.js';
import { type ChainState, emptyState } from '../../core/model/state.js';
import { computeClosedResult } from '../../core/record/closed-result.js';
import { emptyRecord, recordEntries } from '../../core/state/entry.js';
import { buildReasoning, emptyReasoningContext } from '../../core/view/build-reasoning.js';
import { type ChildStatus, isVisibleTo, listChildUpdates } from '../../core/view/child-status.js';
import { createLiveView, type LiveViewUpdate } from '../../core/view/live-view.js';
import type { Reasoning, ReasoningState } from '../../core/view/reasoning.js';
import type { ReasoningView, StepView } from '../../core/view/reasoning-view.js';
import { canReadTokens, createTokenFilter } from '../../core/view/token-filter.js';
import { view } from '../../core/view/view.js';
import { buildRedactionPolicy, type Viewer, type VisibilityConfig } from '../../core/view/visibility.js';
import { canSeeAll } from '../../core/view/visibility-level.js';
import type { ReadChain } from '../read/chain-pages.js';
import type { ChainSource } from '../read/chain-source.js';
import { type EventPosition, followPageEvents, PositionFilter } from '../read/read-chain.js';
import type { FollowOptions } from './follow.js';
import { followTree } from './follow-tree.js';
import { mergeTokens } from './merge-token-stream.js';

/** What a watcher is told, in order. `runId`, `eventId` and `item` say where it stands. */
export type WatchEvent = EventPosition &
  (
    | {
        /** Once the agent is known, before all else: the chain's head, without steps. */
        readonly type: 'chain-started';
        readonly view: ReasoningView;
      }
    | {
        readonly type: 'step-changed';
        readonly step: StepView;
        readonly state: ReasoningState;
        /** What was done so far, in a few lines; empty where the viewer wants none. */
        readonly progress: readonly string[];
      }
    /**
     * A piece of the reply that `step` will hold, some words late. Only with `tokens`; forgotten once the step is told, or
     * another `call` speaks of the same step: the one before has failed.
     */
    | { readonly type: 'token'; readonly step: number; readonly call: string; readonly text: string }
    /**
     * What a sub-chain is at, each time that it has changed: that it began, and what it came to; with `children`, what it
     * is at meanwhile, however deep it is.
     */
    | { readonly type: 'sub-chain-changed'; readonly child: ChildStatus }
    /** The whole chain, as it came to be. */
    | { readonly type: 'chain-ended'; readonly view: ReasoningView }
  );

export interface WatchOptions extends Pick<FollowOptions, 'from' | 'signal'> {
  /** Who may see what. Default: everything is shown that the role may see. */
  readonly visibility?: VisibilityConfig;
  /**
   * Whether to be told what the model says while it speaks, as far as the channel of `connect` carries it and the viewer
   * sees all that it may become. Default false.
   */
  readonly tokens?: boolean;
  /** Whether the histories of sub-chains are followed for what they are at. Default false. */
  readonly children?: boolean;
}

export async function* watch(
  source: ChainSource,
  channel: TokenChannel | null,
  viewer: Viewer,
  { tokens = false, ...options }: WatchOptions = {},
): AsyncGenerator<WatchEvent, void> {
  const tell = (signal = options.signal) => watchTurns(source, viewer, { ...options, ...(signal ? { signal } : {}) });
  if (!tokens || channel === null) {
    for await (const { events } of tell()) for (const event of events) yield event();
    return;
  }
  const both = mergeTokens(tell, { channel, chainId: source.chainId, signal: options.signal });
  yield* watchWithTokens(source, both, viewer, options);
}

/** What a turn told, and the chain at its end. */
interface WatchBatch {
  /** Made when they are told. */
  readonly events: readonly (() => WatchEvent)[];
  readonly reasoning: Reasoning;
}

async function* watchTurns(
  source: ChainSource,
  viewer: Viewer,
  { from, signal, visibility = {}, children = false }: WatchOptions,
): AsyncGenerator<WatchBatch, void> {
  const after = new PositionFilter(from);
  let runId = source.runId;
  const place = (eventId: number, unplaced: readonly (() => UnplacedEvent)[]) =>
    unplaced.flatMap((make, item) => {
      const position = { runId, eventId, item };
      return after.includes(position) ? [() => ({ ...position, ...make() })] : [];
    });
  const look = createLiveView(viewer, visibility);
  let chain: Chain = { ...emptyRecord, state: emptyState };
  let begun = false;
  // From its start also for who goes on from a position: marks are numbered by all that came before.
  let reached = 0;
  for await (const event of children ? followTree(source, signal) : followPageEvents(source, signal)) {
    if (event.kind === 'look') {
      const { child, parents } = event.update;
      if (!isVisibleTo(parents, viewer, visibility)) continue;
      const told = () => ({ runId, eventId: reached, item: 0, type: 'sub-chain-changed', child }) as const;
      yield { events: [told], reasoning: buildReasoning(chain) };
      continue;
    }
    const { turns, read } = event.page;
    runId = read.runId;
    reached = read.eventId;
    after.enterRun(runId);
    for (const { eventId, entries, state } of turns) {
      chain = recordEntries(chain, state, entries);
      const seen = look(chain, read.attempts);
      const begins: boolean = !begun && (seen.reasoning.tools !== null || seen.changedSteps.length > 0);
      begun ||= begins;
      const head = begins
        ? [() => ({ type: 'chain-started', view: viewHead(state, viewer, visibility) }) as const]
        : [];
      const news = listChildUpdates(entries, seen.reasoning, chain).filter(({ parentCalls }) =>
        isVisibleTo(parentCalls, viewer, visibility),
      );
      const below = news.map(
        ({ child }) =>
          () =>
            ({ type: 'sub-chain-changed', child }) as const,
      );
      yield { events: place(eventId, [...head, ...toStepEvents(seen), ...below]), reasoning: seen.reasoning };
    }
    if (read.closed === null) continue;
    const reasoning = toFinalReasoning(read);
    const end = () => ({ type: 'chain-ended', view: view(reasoning, viewer, visibility) }) as const;
    yield { events: place(read.eventId, [end]), reasoning };
  }
}

type UnplacedEvent = WatchEvent extends infer E ? (E extends WatchEvent ? Omit<E, keyof EventPosition> : never) : never;

function toStepEvents({
  changedSteps,
  reasoning: { state },
  progress,
}: LiveViewUpdate): readonly (() => UnplacedEvent)[] {
  return changedSteps.map((step) => () => ({ type: 'step-changed', step, state, progress: progress() }) as const);
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

async function* watchWithTokens(
  { runId }: ChainSource,
  both: ReturnType<typeof mergeTokens<WatchBatch>>,
  viewer: Viewer,
  { visibility: config = {} }: WatchOptions,
): AsyncGenerator<WatchEvent, void> {
  let position: EventPosition = { runId, eventId: 0, item: 0 };
  let hear: ((piece: TokenPiece) => string) | null = null;
  let steps = 0;
  // Until the tools are known, nobody can tell who may hear it.
  const heard: TokenPiece[] = [];
  for await (const next of both) {
    if (next.kind === 'token') {
      heard.push(next.piece);
    } else {
      const { reasoning, events } = next.event;
      steps = Math.max(steps, ...reasoning.steps.map(({ number }) => number));
      if (reasoning.tools !== null) hear ??= createPieceFilter(reasoning, viewer, config);
      for (const make of events) {
        const event = make();
        position = { runId: event.runId, eventId: event.eventId, item: event.item };
        yield event;
      }
    }
    if (hear === null) continue;
    for (const piece of heard.splice(0)) {
      const { step, call } = piece;
      const text = step > steps ? hear(piece) : '';
      if (text !== '') yield { ...position, type: 'token', step, call, text };
    }
  }
}

/** What of a piece may be told; empty where that is nothing. */
function createPieceFilter(chain: Reasoning, viewer: Viewer, config: VisibilityConfig): (piece: TokenPiece) => string {
  if (canSeeAll({ viewer, chain })) return ({ text }) => text;
  const policy = buildRedactionPolicy(chain, config);
  let hear = createTokenFilter(policy);
  let heard = '';
  return ({ step, call, text }) => {
    if (!canReadTokens(step, { viewer, config, chain, path: '' })) return '';
    if (call !== heard) hear = createTokenFilter(policy);
    heard = call;
    return hear(step, text);
  };
}
