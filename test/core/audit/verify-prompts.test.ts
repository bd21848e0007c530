/** The prompts of an export are compared with the digests in its entries, which the hash chain covers. */

import { describe, expect, it } from 'vitest';
import { formatFinding } from '../../../src/core/audit/finding.js';
import { formatExportLine, omitEntry } from '../../../src/core/audit/line.js';
import {
  auditFormat,
  auditVersion,
  contentsFile,
  entriesFile,
  type Manifest,
  manifestFile,
  promptsFile,
} from '../../../src/core/audit/manifest.js';
import { verifyExport } from '../../../src/core/audit/verify-export.js';
import { verifyExportedPrompts } from '../../../src/core/audit/verify-prompts.js';
import { computeDigest } from '../../../src/core/lib/digest.js';
import { toCanonicalJson } from '../../../src/core/lib/json.js';
import { listPrompts } from '../../../src/core/record/prompts.js';
import { renderRequest } from '../../../src/core/strategies/strategies.js';
import { draftsOf, logOf } from '../../support/audit.js';
import { agentOf, answers, asks, look, modelFailure } from '../../support/core-builders.js';
import { prepared } from '../../support/core-play.js';

/** A chain with two replies, whose digests are those of their requests, and a failed call between them. */
function playChain() {
  const play = prepared();
  const digest = () => computeDigest(toCanonicalJson(renderRequest(play.chain, agentOf(), 'step')));
  play.replied({ ...asks(look()), request: digest() });
  play.returned('1.1');
  play.failed(modelFailure('overloaded'));
  play.fired('retry');
  play.replied({ ...answers('Done.'), request: digest() });
  return play;
}

const play = playChain();
const log = logOf(draftsOf(play));
const sealed = log.entries;
const entries = sealed.map((entry) => formatExportLine(entry).trimEnd());
const prompts = [...listPrompts(play.turns, computeDigest)].map((prompt) => {
  const entry = sealed.find(({ type, what }) => /^model_/.test(type) && 'call' in what && what.call === prompt.call);
  const { namespace = '', tenant = null, seq = 0, chainId = null } = entry ?? {};
  return toCanonicalJson({ namespace, tenant, seq, chainId, call: prompt.call, prompt });
});

const verify = (lines: readonly string[]) => verifyExportedPrompts(lines, entries, computeDigest);
const change = (at: number, from: string | RegExp, to: string) =>
  prompts.map((line, index) => (index === at ? line.replace(from, to) : line));

describe('the prompts of an export', () => {
  it('are proven by the digests in the entries of their calls; that of a failed call is unproven', () => {
    expect(verify(prompts)).toEqual({ findings: [], proven: 2, unproven: 1, absent: 0 });
  });

  it.each([
    ['whose request was changed', change(0, 'You are a clerk.', 'You are a judge.'), 'prompt_altered'],
    [
      'whose request was changed, and that states that it differs',
      change(0, 'You are a clerk.', 'You are a judge.').map((line) => line.replace('"proven"', '"differs"')),
      'prompt_altered',
    ],
    ['that states to be unproven', change(0, '"proven"', '"unproven"'), 'prompt_altered'],
    ['that states to have no request', change(0, /"request":\{.*\},"step"/, '"step"'), 'prompt_altered'],
    ['of another provider', change(2, 'some-provider', 'another'), 'prompt_altered'],
    ['of a failed call that states to be proven', change(1, '"unproven"', '"proven"'), 'prompt_altered'],
    ['of another chain', change(0, /chain-0|chain-1/g, 'chain-9'), 'prompt_inserted'],
    ['that is missing', prompts.slice(1), 'prompt_missing'],
    ['that is there twice', [...prompts, prompts[0] ?? ''], 'prompt_inserted'],
    ['that is not canonical JSON', change(0, '{', '{ '), 'unreadable'],
  ])('contain no prompt %s', (_name, lines, kind) => {
    const { findings } = verify(lines);
    expect(lines).not.toEqual(prompts);
    expect(findings.map((finding) => finding.kind)).toContain(kind);
  });

  it('may lack the prompt of a chain whose content is gone, which is counted', () => {
    const gone = change(0, /"prompt":\{.*\},"seq"/, '"prompt":null,"seq"');
    expect(verify(gone)).toMatchObject({ findings: [], proven: 1, absent: 1 });
  });

  it('belong to entries in the export: those of omitted entries are inserted', () => {
    const omitted = sealed.map((entry) => formatExportLine(omitEntry(entry)).trimEnd());
    const { findings } = verifyExportedPrompts(prompts, omitted, computeDigest);
    expect(findings.map(({ kind }) => kind)).toEqual(Array(3).fill('prompt_inserted'));
  });

  it('are compared with their entries, also where the digest of the file was computed again', () => {
    const altered = change(2, 'You are a clerk.', 'You are a judge.');
    const { findings } = verifyExport(exportOf(altered), () => () => 'good');
    expect(findings.map(({ kind }) => kind)).toEqual(['unsigned', 'prompt_altered', 'manifest_unsigned']);
    expect(findings.map(formatFinding)[1]).toMatch(/^The prompt of model-3 in entry \d+ .* differs from the one that/);
    const unaltered = verifyExport(exportOf(prompts), () => () => 'good');
    expect(unaltered.findings.map(({ kind }) => kind)).toEqual(['unsigned', 'manifest_unsigned']);
    expect(unaltered.prompts).toMatchObject({ proven: 2, unproven: 1 });
  });
});

/** An export without a key, so that anyone can compute its digests. */
function exportOf(lines: readonly string[]): ReadonlyMap<string, string> {
  const texts = new Map([
    [entriesFile, `${entries.join('\n')}\n`],
    [contentsFile, log.contents.map(formatExportLine).join('')],
    [promptsFile, `${lines.join('\n')}\n`],
  ]);
  const [first, last] = [sealed[0], sealed.at(-1)].map((entry) => ({ seq: entry?.seq ?? 0, hash: entry?.hash ?? '' }));
  const { namespace = '', tenant = null } = sealed[0] ?? {};
  const manifest: Manifest = {
    format: auditFormat,
    version: auditVersion,
    longhand: '0.1.0',
    exportedAt: '2026-01-01T00:00:00.000Z',
    exportedBy: null,
    filters: {},
    logs: [{ namespace, tenant, first: first!, last: last!, entries: sealed.length, leftOut: 0 }],
    files: Object.fromEntries(
      [...texts].map(([file, text]) => [file, { sha256: computeDigest(text), bytes: 0, lines: 0 }]),
    ),
    heads: [],
    keys: {},
    key: null,
  };
  return new Map([...texts, [manifestFile, JSON.stringify(manifest)]]);
}
