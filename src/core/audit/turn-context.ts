/** What of a run is needed to say what one of its turns was: the state around it, and what is known of earlier ones. */

import type { FoldedTurn } from '../engine/fold-turns.js';
import { findOwn } from '../lib/json.js';
import type { AuditLevel } from '../model/agent.js';
import type { ChainState } from '../model/state.js';
import type { ContentDrafter } from './content-drafter.js';
import type { Actor, AuditDraft, AuditEvent, DraftPart, EntryMetadata, PromptDigest } from './entry.js';
import { type AuditPolicy, computeChainLevel, computeToolLevel } from './policy.js';

/** One turn, between the state before it and after. */
export interface TurnContext {
  readonly turn: FoldedTurn;
  readonly before: ChainState;
  readonly drafter: ContentDrafter;
  readonly policy: AuditPolicy;
  /** What the model was asked with, by the id of the call. */
  readonly prompts: ReadonlyMap<string, PromptDigest>;
}

/** A thing to be told, before its place in its turn is known. Null where its tool's level says to tell nothing. */
export interface EventDraft {
  readonly event: AuditEvent;
  readonly who?: Actor;
  readonly parts?: readonly DraftPart[];
}

export function getChainLevel({ turn, policy }: Pick<TurnContext, 'turn' | 'policy'>): AuditLevel {
  return computeChainLevel(policy, turn.state.input?.tenant ?? null);
}

export interface KnownTool {
  readonly kind: string;
  readonly effects: 'read' | 'idempotent' | 'unsafe' | null;
  readonly level: AuditLevel;
}

/** Of one that the agent does not have, what holds for all is said. */
export function getKnownTool(name: string, { turn, policy }: Pick<TurnContext, 'turn' | 'policy'>): KnownTool {
  const { agent, input } = turn.state;
  const byName = Object.fromEntries((agent?.tools ?? []).map((tool) => [tool.name, tool]));
  const tool = findOwn(byName, name);
  const level = computeToolLevel(policy, tool?.audit ?? null, input?.tenant ?? null);
  return { kind: tool?.view.kind ?? 'external', effects: tool?.effects ?? null, level };
}

/** What each call of the model was asked with: the head over all facts when it was decided on. */
export function collectPrompts(turns: readonly FoldedTurn[]): ReadonlyMap<string, PromptDigest> {
  const asked = turns.flatMap(({ actions, state }) =>
    actions.flatMap((action) => (action.type === 'callModel' ? [[action.call, toPromptDigest(state)] as const] : [])),
  );
  return new Map(asked);
}

function toPromptDigest({ agent, facts, head }: ChainState): PromptDigest {
  return { definition: agent?.digest ?? null, facts, head };
}

/** A chain's place: what its entries have in common. */
export function toAuditDraft(told: EventDraft, place: Omit<EntryMetadata, 'who'>): AuditDraft {
  return { ...place, ...told.event, who: told.who ?? null, parts: told.parts ?? [] };
}
