/**
 * The audit entries of one run of a chain: computed from its facts, like everything that is said of it (L1).
 *
 * 1. Each has a place of its own: event and item. What a level leaves out keeps its place, so that the same run has the
 *    same places by whatever policy it is told.
 * 2. What a fork or a branch goes on with is told in the log of the chain that did it, and only named here.
 */

import type { TakenTurn } from '../engine/refold.js';
import { type ChainResult, resultOf } from '../engine/result.js';
import type { Chain } from '../model/chain.js';
import { emptyState, type State } from '../model/state.js';
import type { Closed } from '../record/chain-file.js';
import { type Entry, emptyRecord } from '../state/entry.js';
import { callsIn } from '../state/flight.js';
import type { AuditDraft } from './entry.js';
import { createKeeper } from './keeper.js';
import { ofEntry } from './of-entry.js';
import { ofFact } from './of-fact.js';
import type { AuditPolicy } from './policy.js';
import { chainLevel, draftOf, promptsOf, type Told, type TurnScene } from './run-scene.js';

export interface AuditedRun {
  readonly namespace: string;
  readonly chainId: string;
  readonly runId: string;
  /** Null while it runs. */
  readonly closed: Closed | null;
  /** Milliseconds since 1970. */
  readonly closedAt: number | null;
  /** What the workflow itself said that it came to; null where its close carries nothing. */
  readonly result: ChainResult | null;
}

/** @param found the chain as the run found it; null for a chain's first run */
export function auditEntries(
  turns: readonly TakenTurn[],
  found: Chain | null,
  run: AuditedRun,
  policy: AuditPolicy = {},
): readonly AuditDraft[] {
  const before: Chain = found ?? { ...emptyRecord, state: emptyState };
  const last = turns.at(-1)?.state ?? before.state;
  const keeper = createKeeper(
    turns.flatMap(({ entries }) => entries),
    before,
    last,
    policy,
  );
  const prompts = promptsOf(turns);
  let { state } = before;
  const drafts = turns.flatMap((turn, index) => {
    const scene: TurnScene = { turn, before: state, keeper, policy, prompts };
    const ending = index === turns.length - 1 ? chainEnded(scene, run) : [];
    state = turn.state;
    return placed([...toldIn(scene), ...ending], scene, run);
  });
  if (turns.length > 0) return drafts;
  // It was ended before it began: by a person, or because no worker ever came.
  const nothing: TakenTurn = { eventId: 0, history: last.history, facts: [], entries: [], state: last, actions: [] };
  const scene: TurnScene = { turn: nothing, before: last, keeper, policy, prompts };
  return placed(chainEnded(scene, run), scene, run);
}

function toldIn(scene: TurnScene): readonly (Told | null)[] {
  const { turn } = scene;
  const entries = turn.entries.filter((entry) => isOwn(entry, scene));
  return [...turn.facts.flatMap((fact) => ofFact(fact, scene)), ...entries.flatMap((entry) => ofEntry(entry, scene))];
}

/** Invariant 2: in the turn that takes another chain's steps over, nothing is its own yet but what people have said to it. */
function isOwn(entry: Entry, { turn, before }: TurnScene): boolean {
  const adopts = before.origin === null && turn.state.origin !== null;
  return !adopts || (entry.type === 'notice' && entry.at >= (turn.facts[0]?.at ?? 0));
}

function placed(tells: readonly (Told | null)[], { turn }: TurnScene, run: AuditedRun): readonly AuditDraft[] {
  const { namespace, chainId, runId } = run;
  const { input, now } = turn.state;
  const place = { namespace, tenant: input?.tenant ?? null, chainId, runId, eventId: turn.eventId };
  return tells.flatMap((told, item) => {
    if (told === null) return [];
    const at = told.event.type === 'chain_ended' ? (run.closedAt ?? now) : (turn.facts[0]?.at ?? now);
    return draftOf(told, { ...place, at, item, agent: input?.agent ?? null });
  });
}

/** A run that goes on as another ends no chain. */
function chainEnded(scene: TurnScene, run: AuditedRun): readonly Told[] {
  const { closed } = run;
  if (closed === null || closed === 'continuedAsNew') return [];
  const { state } = scene.turn;
  const { answer, partial, reason } = run.result ?? resultOf(state);
  const level = chainLevel(scene);
  const outcome = run.result?.outcome ?? outcomeOf(state, closed);
  const open = callsIn(state).filter(({ progress }) => progress === 'running');
  return [
    {
      event: {
        type: 'chain_ended',
        what: {
          outcome,
          closed,
          steps: state.steps,
          tokens: state.spent.tokens,
          costUsd: state.spent.usd,
          facts: state.facts,
          head: state.head,
          open: open.map(({ id }) => id),
        },
      },
      parts: [
        ...scene.keeper.words('answer', answer, level),
        ...scene.keeper.words('partial', partial, level),
        ...scene.keeper.words('reason', outcome === 'terminated' ? null : reason, level),
      ],
    },
  ];
}

/** What is ended from outside tells nothing of itself. */
function outcomeOf({ stop }: State, closed: Closed): ChainResult['outcome'] {
  if (closed === 'terminated' || closed === 'timedOut' || stop === null) return 'terminated';
  return stop.outcome;
}
