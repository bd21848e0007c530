/**
 * Computes the audit entries of one run of a chain from its facts (L1).
 *
 * 1. Each entry has a place: event and item. An entry that a level leaves out keeps its place, so that a run has the same
 *    places under every policy.
 * 2. A fork or a branch only names the steps that it starts with: their entries are in the log of the chain that made them.
 */

import {
  type ChainEntry,
  type ChainResult,
  emptyRecord,
  type FoldedTurn,
  listCalls,
  toChainResult,
} from '../engine/index.js';
import { type Chain, type ChainState, emptyState } from '../model/index.js';
import { type CloseStatus, ItemNumbers } from '../record/index.js';
import { createContentDrafter } from './content-drafter.js';
import type { AuditDraft } from './entry.js';
import { draftEntryEvents } from './entry-events.js';
import { draftFactEvents } from './fact-events.js';
import type { AuditPolicy } from './policy.js';
import { collectPrompts, type EventDraft, getChainLevel, type TurnContext, toAuditDraft } from './turn-context.js';

export interface AuditedRun {
  readonly namespace: string;
  readonly chainId: string;
  readonly runId: string;
  /** Null while it runs. */
  readonly closed: CloseStatus | null;
  /** Milliseconds since 1970. */
  readonly closedAt: number | null;
  /** The result that the workflow returned; null if its close event has none. */
  readonly result: ChainResult | null;
}

/** @param chain the chain at the start of the run; null for a chain's first run */
export function computeAuditDrafts(
  turns: readonly FoldedTurn[],
  chain: Chain | null,
  run: AuditedRun,
  policy: AuditPolicy = {},
): readonly AuditDraft[] {
  const before: Chain = chain ?? { ...emptyRecord, state: emptyState };
  const last = turns.at(-1)?.state ?? before.state;
  const keeper = createContentDrafter(
    turns.flatMap(({ entries }) => entries),
    before,
    last,
    policy,
  );
  const prompts = collectPrompts(turns);
  const numbers = new ItemNumbers();
  let { state } = before;
  const drafts = turns.flatMap((turn, index) => {
    const scene: TurnContext = { turn, before: state, drafter: keeper, policy, prompts };
    const ending = index === turns.length - 1 ? draftChainEnded(scene, run) : [];
    state = turn.state;
    return placeDrafts([...listEventDrafts(scene), ...ending], scene, run, numbers);
  });
  if (turns.length > 0) return drafts;
  // The run ended before its first turn: a person terminated it, or no worker was available.
  const nothing: FoldedTurn = { eventId: 0, history: last.history, facts: [], entries: [], state: last, actions: [] };
  const scene: TurnContext = { turn: nothing, before: last, drafter: keeper, policy, prompts };
  return placeDrafts(draftChainEnded(scene, run), scene, run, numbers);
}

function listEventDrafts(scene: TurnContext): readonly (EventDraft | null)[] {
  const { turn } = scene;
  const entries = turn.entries.filter((entry) => isOwnEntry(entry, scene));
  return [
    ...turn.facts.flatMap((fact) => draftFactEvents(fact, scene)),
    ...entries.flatMap((entry) => draftEntryEvents(entry, scene)),
  ];
}

/** Invariant 2: in the turn that adopts another chain's steps, only notices about people's commands are the chain's own. */
function isOwnEntry(entry: ChainEntry, { turn, before }: TurnContext): boolean {
  const adopts = before.origin === null && turn.state.origin !== null;
  return !adopts || (entry.type === 'notice-added' && entry.at >= (turn.facts[0]?.at ?? 0));
}

function placeDrafts(
  drafts: readonly (EventDraft | null)[],
  { turn }: TurnContext,
  run: AuditedRun,
  numbers: ItemNumbers,
): readonly AuditDraft[] {
  const { namespace, chainId, runId } = run;
  const { input, now } = turn.state;
  const place = { namespace, tenant: input?.tenant ?? null, chainId, runId, eventId: turn.eventId };
  const first = numbers.take(runId, turn.eventId, drafts.length);
  return drafts.flatMap((draft, index) => {
    if (draft === null) return [];
    const at = draft.event.type === 'chain_ended' ? (run.closedAt ?? now) : (turn.facts[0]?.at ?? now);
    return toAuditDraft(draft, { ...place, at, item: first + index, agent: input?.agent ?? null });
  });
}

/** Returns the end of the chain; none while the run is open or continued as new. */
function draftChainEnded(scene: TurnContext, run: AuditedRun): readonly EventDraft[] {
  const { closed } = run;
  if (closed === null || closed === 'continuedAsNew') return [];
  const { state } = scene.turn;
  const { answer, partial, reason } = run.result ?? toChainResult(state);
  const level = getChainLevel(scene);
  const outcome = run.result?.outcome ?? toOutcome(state, closed);
  const open = listCalls(state).filter(({ progress }) => progress === 'running');
  return [
    {
      event: {
        type: 'chain_ended',
        what: {
          outcome,
          closed,
          steps: state.steps,
          tokens: state.charged.tokens,
          costUsd: state.charged.usd,
          facts: state.facts,
          head: state.head,
          open: open.map(({ id }) => id),
        },
      },
      parts: [
        ...scene.drafter.draftText('answer', answer, level),
        ...scene.drafter.draftText('partial', partial, level),
        ...scene.drafter.draftText('reason', outcome === 'terminated' ? null : reason, level),
      ],
    },
  ];
}

/** Returns the outcome of a run without a result, for example one that was terminated. */
function toOutcome({ stop }: ChainState, closed: CloseStatus): ChainResult['outcome'] {
  if (closed === 'terminated' || closed === 'timedOut' || stop === null) return 'terminated';
  return stop.outcome;
}
