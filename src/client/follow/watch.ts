/**
 * A chain as somebody may see it, while it goes on (L8): for an end user's page, an auditor's screen, a terminal.
 *
 * 1. Nothing is told that `view` would not show to the same viewer. Not by way of what is being said either.
 * 2. A step is told when it is there, and again whenever what is seen of it has changed: a call when it is made and when
 *    it has ended. The last telling of each, in their places, is the view.
 * 3. What is told is final. From a position it goes on without a gap or a repeat.
 */

import type { SpokenPiece, TokenChannel } from '../../contract/tokens.js';
import type { Chain } from '../../core/model/chain.js';
import { emptyState, type State } from '../../core/model/state.js';
import { resultOfClosed } from '../../core/record/closed-result.js';
import { emptyRecord, record } from '../../core/state/entry.js';
import { type ChildNews, mayKnow, newsIn } from '../../core/view/child-news.js';
import { seesAll } from '../../core/view/level-of.js';
import { type Look, liveView } from '../../core/view/live-view.js';
import { nothingBeside, reason } from '../../core/view/reason.js';
import type { Reasoning, ReasoningState } from '../../core/view/reasoning.js';
import type { ReasoningView, StepView } from '../../core/view/reasoning-view.js';
import { mayHear, speech } from '../../core/view/speech.js';
import { view } from '../../core/view/view.js';
import { policyOf, type Viewer, type VisibilityConfig } from '../../core/view/visibility.js';
import type { ReadChain } from '../read/chain-pages.js';
import { Behind, type Position, pagesOf } from '../read/read-chain.js';
import type { ChainSource } from '../read/source.js';
import type { FollowOptions } from './follow.js';
import { followTree } from './follow-tree.js';
import { withPieces } from './with-pieces.js';

/** What a watcher is told, in order. `runId`, `eventId` and `item` say where it stands. */
export type WatchEvent = Position &
  (
    | {
        /** Once the agent is known, before all else: the chain's head, without steps. */
        readonly type: 'started';
        readonly view: ReasoningView;
      }
    | {
        readonly type: 'step';
        readonly step: StepView;
        readonly state: ReasoningState;
        /** What was done so far, in a few lines; empty where the viewer wants none. */
        readonly progress: readonly string[];
      }
    /**
     * A piece of the reply that `step` will hold, some words late. Only with `tokens`; forgotten once the step is told, or
     * another `call` speaks of the same step: the one before has failed.
     */
    | { readonly type: 'spoken'; readonly step: number; readonly call: string; readonly text: string }
    /**
     * What a sub-chain is at, each time that it has changed: that it began, and what it came to; with `children`, what it
     * is at meanwhile, however deep it is.
     */
    | { readonly type: 'child'; readonly child: ChildNews }
    /** The whole chain, as it came to be. */
    | { readonly type: 'ended'; readonly view: ReasoningView }
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
  const tell = (signal = options.signal) => toldBy(source, viewer, { ...options, ...(signal ? { signal } : {}) });
  if (!tokens || channel === null) {
    for await (const { events } of tell()) for (const event of events) yield event();
    return;
  }
  const both = withPieces(tell, { channel, chainId: source.chainId, signal: options.signal });
  yield* withSpoken(source, both, viewer, options);
}

/** What a turn told, and the chain at its end. */
interface Told {
  /** Made when they are told. */
  readonly events: readonly (() => WatchEvent)[];
  readonly reasoning: Reasoning;
}

async function* toldBy(
  source: ChainSource,
  viewer: Viewer,
  { from, signal, visibility = {}, children = false }: WatchOptions,
): AsyncGenerator<Told, void> {
  const after = new Behind(from);
  let runId = source.runId;
  const place = (eventId: number, unplaced: readonly (() => Unplaced)[]) =>
    unplaced.flatMap((make, item) => {
      const position = { runId, eventId, item };
      return after.has(position) ? [() => ({ ...position, ...make() })] : [];
    });
  const look = liveView(viewer, visibility);
  let chain: Chain = { ...emptyRecord, state: emptyState };
  let begun = false;
  // From its start also for who goes on from a position: marks are numbered by all that came before.
  let reached = 0;
  for await (const event of children ? followTree(source, signal) : pagesOf(source, signal)) {
    if (event.kind === 'look') {
      const { child, above } = event.look;
      if (!mayKnow(above, viewer, visibility)) continue;
      const told = () => ({ runId, eventId: reached, item: 0, type: 'child', child }) as const;
      yield { events: [told], reasoning: reason(chain) };
      continue;
    }
    const { turns, read } = event.page;
    runId = read.runId;
    reached = read.eventId;
    after.enter(runId);
    for (const { eventId, entries, state } of turns) {
      chain = record(chain, state, entries);
      const seen = look(chain, read.attempts);
      const begins: boolean = !begun && (seen.reasoning.tools !== null || seen.changed.length > 0);
      begun ||= begins;
      const head = begins ? [() => ({ type: 'started', view: headOf(state, viewer, visibility) }) as const] : [];
      const news = newsIn(entries, seen.reasoning, chain).filter(({ above }) => mayKnow(above, viewer, visibility));
      const below = news.map(
        ({ child }) =>
          () =>
            ({ type: 'child', child }) as const,
      );
      yield { events: place(eventId, [...head, ...stepsOf(seen), ...below]), reasoning: seen.reasoning };
    }
    if (read.closed === null) continue;
    const reasoning = wholeOf(read);
    const end = () => ({ type: 'ended', view: view(reasoning, viewer, visibility) }) as const;
    yield { events: place(read.eventId, [end]), reasoning };
  }
}

type Unplaced = WatchEvent extends infer E ? (E extends WatchEvent ? Omit<E, keyof Position> : never) : never;

function stepsOf({ changed, reasoning: { state }, progress }: Look): readonly (() => Unplaced)[] {
  return changed.map((step) => () => ({ type: 'step', step, state, progress: progress() }) as const);
}

function headOf(state: State, viewer: Viewer, visibility: VisibilityConfig): ReasoningView {
  return view(reason({ ...emptyRecord, state }), viewer, visibility);
}

function wholeOf(read: ReadChain): Reasoning {
  return reason(read.chain, { ...nothingBeside, attempts: read.attempts, result: resultOfClosed(read) });
}

async function* withSpoken(
  { runId }: ChainSource,
  both: ReturnType<typeof withPieces<Told>>,
  viewer: Viewer,
  { visibility: config = {} }: WatchOptions,
): AsyncGenerator<WatchEvent, void> {
  let position: Position = { runId, eventId: 0, item: 0 };
  let hear: ((piece: SpokenPiece) => string) | null = null;
  let steps = 0;
  // Until the tools are known, nobody can tell who may hear it.
  const heard: SpokenPiece[] = [];
  for await (const next of both) {
    if (next.kind === 'spoken') {
      heard.push(next.piece);
    } else {
      const { reasoning, events } = next.told;
      steps = Math.max(steps, ...reasoning.steps.map(({ number }) => number));
      if (reasoning.tools !== null) hear ??= hearing(reasoning, viewer, config);
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
      if (text !== '') yield { ...position, type: 'spoken', step, call, text };
    }
  }
}

/** What of a piece may be told; empty where that is nothing. */
function hearing(chain: Reasoning, viewer: Viewer, config: VisibilityConfig): (piece: SpokenPiece) => string {
  if (seesAll({ viewer, chain })) return ({ text }) => text;
  const policy = policyOf(chain, config);
  let hear = speech(policy);
  let heard = '';
  return ({ step, call, text }) => {
    if (!mayHear(step, { viewer, config, chain, path: '' })) return '';
    if (call !== heard) hear = speech(policy);
    heard = call;
    return hear(step, text);
  };
}
