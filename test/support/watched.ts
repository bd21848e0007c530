/** The events of a played or stored chain, turn by turn, as `watch` emits them. */

import type { PrintItem, WatchItem } from '../../src/cli/print/chain-printer.js';
import { emptyRecord, recordEntries } from '../../src/core/engine/state/entry.js';
import type { Chain } from '../../src/core/model/chain.js';
import { emptyState } from '../../src/core/model/state.js';
import { buildReasoning, emptyReasoningContext } from '../../src/core/view/build-reasoning.js';
import { isVisibleTo, listChildUpdates } from '../../src/core/view/child-status.js';
import { createLiveView } from '../../src/core/view/live-view.js';
import { view } from '../../src/core/view/view.js';
import { createViewer, type Viewer } from '../../src/core/view/visibility.js';
import type { ChainEntry, ChainResult } from '../../src/entries/client.js';
import type { ActivityAttempts, ChainState } from '../../src/entries/view.js';

interface WatchedTurn {
  readonly entries: readonly ChainEntry[];
  readonly state: ChainState;
}

interface Watching {
  readonly viewer?: Viewer;
  readonly attempts?: ReadonlyMap<string, ActivityAttempts>;
  /** Null while the chain runs. */
  readonly result?: ChainResult | null;
}

export function watchTurns(
  turns: readonly WatchedTurn[],
  { viewer = createViewer('developer'), attempts = new Map(), result = null }: Watching = {},
): readonly PrintItem[] {
  const look = createLiveView(viewer, {});
  const items: PrintItem[] = [];
  let chain: Chain = { ...emptyRecord, state: emptyState };
  for (const { entries, state } of turns) {
    chain = recordEntries(chain, state, entries);
    const { reasoning, changedSteps, viewPlan } = look(chain, attempts);
    if (state.agent !== null && !items.some(({ type }) => type === 'view-opened')) {
      const head = view(buildReasoning({ ...emptyRecord, state }), viewer);
      items.push({ type: 'view-opened', view: head, limits: state.agent.limits });
    }
    items.push(...changedSteps.map((step) => toStepItem(step, reasoning.state)));
    for (const { child, parentCalls } of listChildUpdates(entries, reasoning, chain))
      if (isVisibleTo(parentCalls, viewer, {})) items.push({ type: 'sub-chain-changed', child });
    const { state: now, tokens, costUsd } = reasoning;
    const plan = viewPlan();
    items.push(toTurnItem({ state: now, tokens, costUsd, ...(plan === null ? {} : { plan }) }));
  }
  if (result === null) return items;
  const ended = view(buildReasoning(chain, { ...emptyReasoningContext, attempts, result }), viewer);
  return [...items, { type: 'view-completed', view: ended }];
}

type ItemOf<T extends WatchItem['type']> = Extract<WatchItem, { type: T }>;

export function toStepItem(
  step: ItemOf<'step-changed'>['step'],
  state: ItemOf<'step-changed'>['state'] = 'tool_calling',
): WatchItem {
  return { type: 'step-changed', step, state, progress: [] };
}

export function toTurnItem({
  state = 'thinking',
  tokens = 0,
  costUsd = null,
  plan,
}: Partial<Pick<ItemOf<'turn-completed'>, 'state' | 'tokens' | 'costUsd' | 'plan'>> = {}): WatchItem {
  const spent = { type: 'turn-completed', state, awaitsPeople: false, tokens, costUsd } as const;
  return plan === undefined ? spent : { ...spent, plan };
}
