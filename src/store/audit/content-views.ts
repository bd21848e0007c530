/** Records that a person reads content that is masked for others. Call it before the content is shown. */

import { type Actor, type EntryWithContents, toLogKey } from '../../core/audit/index.js';
import type { ReasoningView } from '../../core/view/index.js';
import type { Store } from '../db/store.js';
import { appendAudit, createOutsideDraft, type OutsideContext } from './append.js';

export interface ContentView {
  readonly namespace: string;
  readonly who: Actor;
  /** Role of the viewer; `export` for a complete export. */
  readonly role: string;
  /** The command or the operation, without its argument. */
  readonly command: string;
}

export interface ViewedChain {
  readonly chainId: string;
  readonly tenant: string | null;
  readonly agent: string | null;
}

/** Whether a role sees content that is masked for others. */
export function seesUnmasked(role: string | undefined): boolean {
  return role === 'auditor' || role === 'export';
}

/**
 * Returns the sub-chains of which a view shows content. Without an answer, the line of a sub-chain shows only what the call of
 * its parent has.
 */
export function listViewedSubChains({ children }: ReasoningView, tenant: string | null): readonly ViewedChain[] {
  return Object.values(children)
    .flat()
    .flatMap((child): readonly ViewedChain[] => {
      const viewed = { chainId: child.chainId, agent: child.agent, tenant };
      if (child.level === 'full') return [viewed, ...listViewedSubChains(child.chain, tenant)];
      return child.answer === null ? [] : [viewed];
    });
}

/** Appends one entry for each chain. @throws {StoreError} */
export async function recordContentView(
  store: Store,
  { namespace, who, role, command }: ContentView,
  viewed: readonly ViewedChain[],
): Promise<void> {
  if (viewed.length === 0) return;
  const at = Date.now();
  const drafts = viewed.map((chain) =>
    createOutsideDraft({ namespace, who, at, ...chain }, { type: 'content_viewed', what: { role, command } }),
  );
  await store.write((tx) => appendAudit(tx, drafts));
}

/** Records that contents of audit entries are read: one entry for each chain. @throws {StoreError} */
export async function recordContentsRead(
  store: Store,
  entries: readonly EntryWithContents[],
  { who, command }: Pick<ContentView, 'who' | 'command'>,
): Promise<void> {
  const read = new Map<string, OutsideContext>();
  const at = Date.now();
  for (const { entry, contents } of entries) {
    if (contents.length === 0) continue;
    const { namespace, tenant, chainId, agent } = entry;
    read.set(`${toLogKey(entry)}${chainId}`, { namespace, tenant, chainId, agent, who, at });
  }
  if (read.size === 0) return;
  const drafts = [...read.values()].map((place) =>
    createOutsideDraft(place, { type: 'content_viewed', what: { role: 'auditor', command } }),
  );
  await store.write((tx) => appendAudit(tx, drafts));
}
