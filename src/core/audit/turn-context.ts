/** The context from which the audit events of one turn are drafted. */

import { type FoldedTurn, listControlViews } from '../engine/index.js';
import { findOwn } from '../lib/index.js';
import type { AuditLevel, ChainState, Effects } from '../model/index.js';
import type { ContentDrafter } from './content-drafter.js';
import type { Actor, AuditDraft, AuditEvent, DraftPart, EntryMetadata, PromptDigest } from './entry.js';
import { type AuditPolicy, computeChainLevel, computeToolLevel } from './policy.js';

/** A turn with the state before it. */
export interface TurnContext {
  readonly turn: FoldedTurn;
  readonly before: ChainState;
  readonly drafter: ContentDrafter;
  readonly policy: AuditPolicy;
  /** Digests of prompts, by model call. */
  readonly prompts: ReadonlyMap<string, PromptDigest>;
}

/** An audit event before its place in its turn is known. */
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
  readonly effects: Effects | null;
  readonly level: AuditLevel;
}

/** Returns kind, effects and level of a tool; defaults for a tool that the agent does not have. */
export function getKnownTool(name: string, { turn, policy }: Pick<TurnContext, 'turn' | 'policy'>): KnownTool {
  const { agent, input } = turn.state;
  const byName = Object.fromEntries((agent?.tools ?? []).map((tool) => [tool.name, tool]));
  const tool = findOwn(byName, name);
  const control = listControlViews(agent?.strategy).find((controlView) => controlView.name === name);
  const level = computeToolLevel(policy, tool?.audit ?? null, input?.tenant ?? null);
  return { kind: (tool ?? control)?.kind ?? 'external', effects: tool?.effects ?? null, level };
}

/** Collects the prompt digest of each model call: the head over all facts when `decide` chose the call. */
export function collectPrompts(turns: readonly FoldedTurn[]): ReadonlyMap<string, PromptDigest> {
  const prompts = turns.flatMap(({ actions, state }) =>
    actions.flatMap((action) => (action.type === 'callModel' ? [[action.call, toPromptDigest(state)] as const] : [])),
  );
  return new Map(prompts);
}

function toPromptDigest({ agent, facts, head }: ChainState): PromptDigest {
  return { definition: agent?.digest ?? null, facts, head };
}

/** Adds the place to an event draft. */
export function toAuditDraft(draft: EventDraft, place: Omit<EntryMetadata, 'who'>): AuditDraft {
  return { ...place, ...draft.event, who: draft.who ?? null, parts: draft.parts ?? [] };
}
