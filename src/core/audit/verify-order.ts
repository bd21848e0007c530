/**
 * Verifies by number, before any hash, that the entries of a log are complete, unique and in order. The remaining entries
 * can then be compared with their hashes in sequence.
 */

import type { AuditFinding } from './finding.js';
import type { LogName } from './head.js';
import type { ExportLine } from './line.js';

/** A line with its number in the file, from 1. */
export interface NumberedLine {
  readonly lineNumber: number;
  readonly line: ExportLine;
}

export interface OrderVerification {
  readonly findings: readonly AuditFinding[];
  /** Each number once, ascending. */
  readonly entries: readonly NumberedLine[];
}

/** Verifies the order of a log's lines. @param first the number of the first expected entry */
export function verifyOrder(lines: readonly NumberedLine[], log: LogName, first: number): OrderVerification {
  const auditFindings: AuditFinding[] = [];
  const claimed = new Map<number, NumberedLine[]>();
  for (const placed of lines) {
    const same = claimed.get(placed.line.entry.seq);
    if (same === undefined) claimed.set(placed.line.entry.seq, [placed]);
    else same.push(placed);
  }
  const previous = new Map(
    lines.flatMap(({ line }) => (line.kind === 'entry' ? [[line.entry.seq - 1, line.entry.previous] as const] : [])),
  );
  const holders = new Set<NumberedLine>();
  for (const [seq, same] of claimed) {
    // The entry to which the next one is chained keeps the number.
    const chained = same.find(({ line }) => line.entry.hash === previous.get(seq));
    const [holder = same[0]] = chained === undefined ? [] : [chained];
    if (holder !== undefined) holders.add(holder);
    for (const other of same) {
      if (other === holder) continue;
      const twice = other.line.entry.hash === holder?.line.entry.hash;
      auditFindings.push({ kind: twice ? 'doubled' : 'inserted', seq, line: other.lineNumber, ...log });
    }
  }
  const once = lines.filter((placed) => holders.has(placed));
  const inPlace = findLongestAscending(once);
  for (const { lineNumber, line } of once.filter((placed) => !inPlace.has(placed))) {
    auditFindings.push({ kind: 'reordered', seq: line.entry.seq, line: lineNumber, ...log });
  }
  const entries = once.toSorted((a, b) => a.line.entry.seq - b.line.entry.seq);
  let expected = first;
  for (const { line } of entries) {
    const { seq } = line.entry;
    if (seq > expected) auditFindings.push({ kind: 'missing', from: expected, to: seq - 1, ...log });
    expected = seq + 1;
  }
  return { findings: auditFindings, entries };
}

/** Finds the longest ascending subsequence: all other lines were moved. */
function findLongestAscending(lines: readonly NumberedLine[]): ReadonlySet<NumberedLine> {
  /** The smallest last entry of each length, and the predecessor of each entry. */
  const lasts: NumberedLine[] = [];
  const before = new Map<NumberedLine, NumberedLine | undefined>();
  for (const placed of lines) {
    let low = 0;
    let high = lasts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (lasts[middle]!.line.entry.seq < placed.line.entry.seq) low = middle + 1;
      else high = middle;
    }
    before.set(placed, lasts[low - 1]);
    lasts[low] = placed;
  }
  const chosen = new Set<NumberedLine>();
  for (let placed = lasts.at(-1); placed !== undefined; placed = before.get(placed)) chosen.add(placed);
  return chosen;
}
