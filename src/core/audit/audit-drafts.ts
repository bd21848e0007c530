/**
 * The audit entries of one run of a chain: computed from its facts, like everything that is said of it (L1).
 *
 * 1. Each has a place of its own: event and item. What a level leaves out keeps its place, so that the same run has the
 *    same places by whatever policy it is told.
 * 2. What a fork or a branch goes on with is told in the log of the chain that did it, and only named here.
 */

import type { FoldedTurn } from '../engine/fold-turns.js';
import { type ChainResult, toChainResult } from '../engine/result.js';
import type { Chain } from '../model/chain.js';
import { type ChainState, emptyState } from '../model/state.js';
import type { CloseStatus } from '../record/chain-file.js';
import { type ChainEntry, emptyRecord } from '../state/entry.js';
import { listCalls } from '../state/flight.js';
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
  /** What the workflow itself said that it came to; null where its close carries nothing. */
  readonly result: ChainResult | null;
}

/** @param found the chain as the run found it; null for a chain's first run */
export function computeAuditDrafts(
  turns: readonly FoldedTurn[],
  found: Chain | null,
  run: AuditedRun,
  policy: AuditPolicy = {},
): readonly AuditDraft[] {
  const before: Chain = found ?? { ...emptyRecord, state: emptyState };
  const last = turns.at(-1)?.state ?? before.state;
  const keeper = createContentDrafter(
    turns.flatMap(({ entries }) => entries),
    before,
    last,
    policy,
  );
  const prompts = collectPrompts(turns);
  let { state } = before;
  const drafts = turns.flatMap((turn, index) => {
    const scene: TurnContext = { turn, before: state, drafter: keeper, policy, prompts };
    const ending = index === turns.length - 1 ? draftChainEnded(scene, run) : [];
    state = turn.state;
    return placeDrafts([...listEventDrafts(scene), ...ending], scene, run);
  });
  if (turns.length > 0) return drafts;
  // It was ended before it began: by a person, or because no worker ever came.
  const nothing: FoldedTurn = { eventId: 0, history: last.history, facts: [], entries: [], state: last, actions: [] };
  const scene: TurnContext = { turn: nothing, before: last, drafter: keeper, policy, prompts };
  return placeDrafts(draftChainEnded(scene, run), scene, run);
}

function listEventDrafts(scene: TurnContext): readonly (EventDraft | null)[] {
  const { turn } = scene;
  const entries = turn.entries.filter((entry) => isOwnEntry(entry, scene));
  return [
    ...turn.facts.flatMap((fact) => draftFactEvents(fact, scene)),
    ...entries.flatMap((entry) => draftEntryEvents(entry, scene)),
  ];
}

/** Invariant 2: in the turn that takes another chain's steps over, nothing is its own yet but what people have said to it. */
function isOwnEntry(entry: ChainEntry, { turn, before }: TurnContext): boolean {
  const adopts = before.origin === null && turn.state.origin !== null;
  return !adopts || (entry.type === 'notice-added' && entry.at >= (turn.facts[0]?.at ?? 0));
}

function placeDrafts(
  tells: readonly (EventDraft | null)[],
  { turn }: TurnContext,
  run: AuditedRun,
): readonly AuditDraft[] {
  const { namespace, chainId, runId } = run;
  const { input, now } = turn.state;
  const place = { namespace, tenant: input?.tenant ?? null, chainId, runId, eventId: turn.eventId };
  return tells.flatMap((told, item) => {
    if (told === null) return [];
    const at = told.event.type === 'chain_ended' ? (run.closedAt ?? now) : (turn.facts[0]?.at ?? now);
    return toAuditDraft(told, { ...place, at, item, agent: input?.agent ?? null });
  });
}

/** A run that goes on as another ends no chain. */
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

/** What is ended from outside tells nothing of itself. */
function toOutcome({ stop }: ChainState, closed: CloseStatus): ChainResult['outcome'] {
  if (closed === 'terminated' || closed === 'timedOut' || stop === null) return 'terminated';
  return stop.outcome;
}
