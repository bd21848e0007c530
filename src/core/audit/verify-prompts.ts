/**
 * Verifies the prompts of an export against its entries. The entry of a model call has the digest of the request that was
 * sent, and the hash chain covers it: a writer who alters a prompt cannot alter that digest too.
 *
 * A line that states another proof than its digest gives is altered too. A call without a reply has no such digest: its
 * prompt is unproven.
 */

import { check, type JsonObject, type Sha256, toCanonicalJson } from '../lib/index.js';
import type { AuditEntry } from './entry.js';
import type { AuditFinding } from './finding.js';
import { type LogName, logNameChecks, toLogKey } from './head.js';
import { parseCanonical, parseExportLine } from './line.js';

export interface PromptsVerification {
  readonly findings: readonly AuditFinding[];
  /** Number of prompts that are those that were sent. */
  readonly proven: number;
  /** Number of prompts of calls without a reply. */
  readonly unproven: number;
  /** Number of calls without a prompt: none was sent, or the chain's content is gone. */
  readonly absent: number;
}

type CallEntry = Extract<AuditEntry, { type: 'model_called' | 'model_failed' }>;

/** @param entries the lines of the entries, verified by `verifyLogs` */
export function verifyExportedPrompts(
  lines: readonly string[],
  entries: readonly string[],
  sha256: Sha256,
): PromptsVerification {
  const calls = new Map(
    listCallEntries(entries, sha256).map((entry) => [toPlace(entry, entry.seq, entry.what.call), entry] as const),
  );
  const findings: AuditFinding[] = [];
  const counts = { proven: 0, unproven: 0, absent: 0 };
  for (const [index, text] of lines.entries()) {
    const line = parsePromptLine(text);
    if (line === null) {
      findings.push({ kind: 'unreadable', file: 'prompts', line: index + 1 });
      continue;
    }
    const { seq, call, namespace, tenant } = line;
    const place = toPlace(line, seq, call);
    const entry = calls.get(place);
    calls.delete(place);
    const result =
      entry === undefined || entry.chainId !== line.chainId ? 'inserted' : checkPrompt(line, entry, sha256);
    if (result === 'inserted' || result === 'altered') {
      findings.push({ kind: `prompt_${result}`, seq, call, namespace, tenant });
    } else counts[result] += 1;
  }
  const missing = [...calls.values()].map(({ seq, what: { call }, namespace, tenant }): AuditFinding => {
    return { kind: 'prompt_missing', seq, call, namespace, tenant };
  });
  return { findings: [...findings, ...missing], ...counts };
}

function listCallEntries(lines: readonly string[], sha256: Sha256): readonly CallEntry[] {
  return lines.flatMap((text) => {
    const line = parseExportLine(text, sha256);
    if (line?.kind !== 'entry' || line.entry.chainId === null) return [];
    return line.entry.type === 'model_called' || line.entry.type === 'model_failed' ? [line.entry] : [];
  });
}

function toPlace({ namespace, tenant }: LogName, seq: number, call: string): string {
  return JSON.stringify([toLogKey({ namespace, tenant }), seq, call]);
}

interface PromptLine extends LogName {
  readonly seq: number;
  readonly chainId: string;
  readonly call: string;
  readonly prompt: JsonObject | null;
}

function parsePromptLine(text: string): PromptLine | null {
  const value = parseCanonical(text);
  return isPromptLine(value) && Object.keys(value).length === 6 ? value : null;
}

const isPromptLine = check.shape<PromptLine>({
  ...logNameChecks,
  ...{ seq: check.number, chainId: check.text, call: check.text, prompt: check.nullable(check.object) },
}).is;

function checkPrompt(
  { prompt, chainId, call }: PromptLine,
  entry: CallEntry,
  sha256: Sha256,
): 'proven' | 'unproven' | 'absent' | 'altered' {
  if (prompt === null) return 'absent';
  if (prompt.chainId !== chainId || prompt.call !== call) return 'altered';
  const { request, provider } = entry.type === 'model_called' ? entry.what : { request: null, provider: null };
  if (prompt.request === undefined) return prompt.kind === 'missing' && request === null ? 'absent' : 'altered';
  if (prompt.provider !== provider) return 'altered';
  if (request === null) return prompt.proof === 'unproven' ? 'unproven' : 'altered';
  return prompt.proof === 'proven' && sha256(toCanonicalJson(prompt.request)) === request ? 'proven' : 'altered';
}
