/**
 * Appends entries to their audit logs, in the caller's transaction.
 *
 * 1. Each log is one unbroken hash chain, however many processes append: the transaction locks the row of the log's end.
 * 2. An entry of a run is recorded once: known entries are skipped.
 * 3. Names are made storable before they are hashed, so that the stored text has the same hash.
 * 4. With `forgotten`, no content and no salt is written, not even to be deleted again: deleted text may remain in the
 *    database's files for long. The entries are the same.
 */

import type { Transaction } from 'kysely';
import {
  type Actor,
  type AuditDraft,
  type AuditEntry,
  type ContentRow,
  type ExternalAuditEvent,
  emptyHash,
  type LogEnd,
  type LogName,
  sealEntry,
  toLogKey,
} from '../../core/audit/index.js';
import { toCanonicalJson, toWellFormed } from '../../core/lib/index.js';
import type { AuditTables } from '../db/migrations/0001-tables/audit.js';
import type { Tables } from '../db/store.js';
import { toStorable } from '../db/store-dialect.js';
import { createSalt, sha256 } from './key.js';

/** Rows of one statement: databases limit the number of parameters. */
const batchSize = 500;

/** Appends drafts to their logs. @returns the added entries, each with its place in its log */
export async function appendAudit(
  tx: Transaction<Tables>,
  drafts: readonly AuditDraft[],
  contents: 'held' | 'forgotten' = 'held',
): Promise<readonly AuditEntry[]> {
  const logs = new Map<string, { readonly name: LogName; readonly drafts: AuditDraft[] }>();
  for (const draft of drafts.map(toStorableDraft)) {
    const { namespace, tenant } = draft;
    const key = toLogKey(draft);
    const known = logs.get(key) ?? { name: { namespace, tenant }, drafts: [] };
    known.drafts.push(draft);
    logs.set(key, known);
  }
  const added: AuditEntry[] = [];
  // In the same order for all processes, to prevent deadlocks.
  for (const [log, { name, drafts: own }] of [...logs].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    added.push(...(await appendToLog(tx, { log, ...name }, own, contents)));
  }
  return added;
}

/** Contents are stored as JSON, in which both databases accept every character: they need only be well-formed. */
function toStorableDraft({ parts, ...names }: AuditDraft): AuditDraft {
  return { ...toStorable(names), parts: toWellFormed(parts) };
}

type KeyedLog = LogName & { readonly log: string };

async function appendToLog(
  tx: Transaction<Tables>,
  log: KeyedLog,
  drafts: readonly AuditDraft[],
  contentState: 'held' | 'forgotten',
): Promise<readonly AuditEntry[]> {
  let end: LogEnd = await lockEnd(tx, log);
  const there = await readKnownPlaces(tx, drafts);
  const sealed = drafts
    .filter((draft) => draft.runId === null || !there.has(toPlaceKey(draft)))
    .map((draft) => {
      const next = sealEntry(draft, end, { random: createSalt, sha256 });
      end = next.entry;
      return next;
    });
  if (sealed.length === 0) return [];
  for (let from = 0; from < sealed.length; from += batchSize) {
    const some = sealed.slice(from, from + batchSize);
    await tx
      .insertInto('audit_entries')
      .values(some.map(({ entry }) => toEntryRow(log.log, entry)))
      .execute();
    if (contentState === 'forgotten') continue;
    const contents = some.flatMap((sealedEntry) =>
      sealedEntry.contents.map((content) => toContentRow(log.log, content)),
    );
    for (let at = 0; at < contents.length; at += batchSize) {
      await tx
        .insertInto('audit_contents')
        .values(contents.slice(at, at + batchSize))
        .execute();
    }
  }
  await tx.updateTable('audit_logs').set({ seq: end.seq, hash: end.hash }).where('log', '=', log.log).execute();
  return sealed.map(({ entry }) => entry);
}

/** Locks the log's row by writing it, which works in both databases, and returns the log's end. */
async function lockEnd(tx: Transaction<Tables>, { log, namespace, tenant }: KeyedLog): Promise<LogEnd> {
  return await tx
    .insertInto('audit_logs')
    .values({ log, namespace, tenant, seq: 0, hash: emptyHash })
    .onConflict((conflict) => conflict.column('log').doUpdateSet((row) => ({ seq: row.ref('audit_logs.seq') })))
    .returning(['seq', 'hash'])
    .executeTakeFirstOrThrow();
}

async function readKnownPlaces(tx: Transaction<Tables>, drafts: readonly AuditDraft[]): Promise<ReadonlySet<string>> {
  const runs = new Map(
    drafts.flatMap((draft) => (draft.runId === null ? [] : [[`${draft.chainId} ${draft.runId}`, draft]])),
  );
  const places = new Set<string>();
  for (const { namespace, chainId, runId } of runs.values()) {
    const rows = await tx
      .selectFrom('audit_entries')
      .select(['event_id', 'item'])
      .where('namespace', '=', namespace)
      .where('chain_id', '=', chainId)
      .where('run_id', '=', runId)
      .execute();
    for (const { event_id: eventId, item } of rows) places.add(toPlaceKey({ chainId, runId, eventId, item }));
  }
  return places;
}

function toPlaceKey({
  chainId,
  runId,
  eventId,
  item,
}: Pick<AuditDraft, 'chainId' | 'runId' | 'eventId' | 'item'>): string {
  return JSON.stringify([chainId, runId, eventId, item]);
}

export function toEntryRow(log: string, entry: AuditEntry): AuditTables['audit_entries'] {
  const { seq, namespace, tenant, chainId, runId, eventId, item, at, type, agent, who, hash } = entry;
  const { what } = entry;
  return {
    ...{ log, seq, namespace, tenant, chain_id: chainId, run_id: runId },
    ...{ event_id: eventId, item, at, type, agent, person: who?.by ?? null, hash },
    tool: 'tool' in what ? what.tool : null,
    outcome: 'outcome' in what ? what.outcome : null,
    entry: toCanonicalJson(entry),
  };
}

function toContentRow(
  log: string,
  { seq, part, salt, originalSalt, content }: ContentRow,
): AuditTables['audit_contents'] {
  return { log, seq, part, salt, original_salt: originalSalt, content };
}

/** The person or the key that changes something outside of chains, and the time in milliseconds since 1970. */
export interface AuditedChange {
  readonly who: Actor & { readonly by: string };
  readonly at: number;
}

/** The place of an action outside of chains: where, when and by whom. */
export interface OutsideContext extends LogName {
  readonly who: Actor;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly chainId?: string | null;
  readonly agent?: string | null;
}

export function createOutsideDraft(
  { namespace, tenant, who, at, chainId, agent }: OutsideContext,
  event: ExternalAuditEvent,
): AuditDraft {
  const place = { at, namespace, tenant, chainId: chainId ?? null, agent: agent ?? null, who };
  return { ...place, runId: null, eventId: null, item: 0, ...event, parts: [] };
}
