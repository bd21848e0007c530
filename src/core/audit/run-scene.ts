/** What of a run is needed to say what one of its turns was: the state around it, and what is known of earlier ones. */

import type { TakenTurn } from '../engine/refold.js';
import { own } from '../lib/json.js';
import type { AuditLevel } from '../model/agent.js';
import type { State } from '../model/state.js';
import type { AuditDraft, AuditEvent, DraftPart, Place, Prompt, Who } from './entry.js';
import type { Keeper } from './keeper.js';
import { type AuditPolicy, levelOfChain, levelOfTool } from './policy.js';

/** One turn, between the state before it and after. */
export interface TurnScene {
  readonly turn: TakenTurn;
  readonly before: State;
  readonly keeper: Keeper;
  readonly policy: AuditPolicy;
  /** What the model was asked with, by the id of the call. */
  readonly prompts: ReadonlyMap<string, Prompt>;
}

/** A thing to be told, before its place in its turn is known. Null where its tool's level says to tell nothing. */
export interface Told {
  readonly event: AuditEvent;
  readonly who?: Who;
  readonly parts?: readonly DraftPart[];
}

export function chainLevel({ turn, policy }: Pick<TurnScene, 'turn' | 'policy'>): AuditLevel {
  return levelOfChain(policy, turn.state.input?.tenant ?? null);
}

export interface KnownTool {
  readonly kind: string;
  readonly effects: 'read' | 'idempotent' | 'unsafe' | null;
  readonly level: AuditLevel;
}

/** Of one that the agent does not have, what holds for all is said. */
export function toolNamed(name: string, { turn, policy }: Pick<TurnScene, 'turn' | 'policy'>): KnownTool {
  const { agent, input } = turn.state;
  const byName = Object.fromEntries((agent?.tools ?? []).map((tool) => [tool.name, tool]));
  const tool = own(byName, name);
  const level = levelOfTool(policy, tool?.audit ?? null, input?.tenant ?? null);
  return { kind: tool?.view.kind ?? 'external', effects: tool?.effects ?? null, level };
}

/** What each call of the model was asked with: the head over all facts when it was decided on. */
export function promptsOf(turns: readonly TakenTurn[]): ReadonlyMap<string, Prompt> {
  const asked = turns.flatMap(({ actions, state }) =>
    actions.flatMap((action) => (action.type === 'callModel' ? [[action.call, promptAt(state)] as const] : [])),
  );
  return new Map(asked);
}

function promptAt({ agent, facts, head }: State): Prompt {
  return { definition: agent?.digest ?? null, facts, head };
}

/** A chain's place: what its entries have in common. */
export function draftOf(told: Told, place: Omit<Place, 'who'>): AuditDraft {
  return { ...place, ...told.event, who: told.who ?? null, parts: told.parts ?? [] };
}
