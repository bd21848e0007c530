/** `longhand audit verify`: whether an export, or the log in its store, is as it was written, and who vouches for it. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, findingText } from '../../core/audit/finding.js';
import { contentsFile, entriesFile, manifestFile, recipeFile, signatureFile } from '../../core/audit/manifest.js';
import type { LogVerified } from '../../core/audit/verify.js';
import { type ExportVerified, verifyExport } from '../../core/audit/verify-export.js';
import { count } from '../../core/display.js';
import { oneLine } from '../../core/plain.js';
import { signatureCheck } from '../../store/audit/check-signature.js';
import { keyIdOf } from '../../store/audit/key.js';
import { noteVerified } from '../../store/audit/note-verified.js';
import { sha256 } from '../../store/audit/sha256.js';
import { verifyStore } from '../../store/audit/verify-store.js';
import { colorsFor } from '../chain/colors.js';
import { wrapped } from '../chain/text.js';
import { jsonLine } from '../json-line.js';
import { loggedIn } from '../logged-in.js';
import type { Terminal } from '../terminal.js';
import { UsageError } from '../usage-error.js';
import { namespaceOf, withStore } from './with-store.js';

export interface VerifyFlags {
  readonly key: readonly string[];
  readonly unsigned?: boolean;
  readonly namespace?: string;
  readonly json?: boolean;
}

export async function verify(terminal: Terminal, folder: string | undefined, flags: VerifyFlags): Promise<number> {
  const trusted = flags.key.length === 0 ? null : flags.key.map(keyId);
  if (folder === undefined) return inStore(terminal, trusted, flags);
  const verified = verifyExport(filesIn(folder), ({ keys }) => signatureCheck(keys, trusted), sha256);
  return told(terminal, verified, { flags, key: verified.manifest?.key ?? null, pinned: trusted !== null });
}

/** That the log was looked at is a part of it. */
async function inStore(terminal: Terminal, trusted: readonly string[] | null, flags: VerifyFlags): Promise<number> {
  const namespace = namespaceOf(flags);
  return withStore(async (store) => {
    const verified = await verifyStore(store, namespace, trusted);
    await noteVerified(store, namespace, verified, { by: loggedIn(), at: Date.now() });
    const key = verified.heads.at(-1)?.key ?? null;
    return told(terminal, verified, { flags, key, pinned: trusted !== null });
  });
}

/** @throws UsageError for what is neither the id of a key nor a file with one */
function keyId(given: string): string {
  if (/^[0-9a-f]{64}$/.test(given)) return given;
  const id = existsSync(given) && statSync(given).isFile() ? keyIdOf(readFileSync(given, 'utf8')) : null;
  if (id !== null) return id;
  throw new UsageError(`--key ${given} is neither the id of a key (64 hexadecimal digits) nor a PEM file with one.`);
}

/** Of an export those that belong to it. @throws UsageError */
function filesIn(folder: string): ReadonlyMap<string, string> {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new UsageError(
      `There is no folder ${folder}. An export of the audit log is a folder with a ${manifestFile}.`,
    );
  }
  const names = [manifestFile, signatureFile, entriesFile, contentsFile, recipeFile];
  return new Map(
    names.flatMap((name) => {
      const path = join(folder, name);
      return existsSync(path) ? [[name, readFileSync(path, 'utf8')] as const] : [];
    }),
  );
}

interface Telling {
  readonly flags: VerifyFlags;
  readonly key: string | null;
  /** Whether the person said which keys count. */
  readonly pinned: boolean;
}

const notSigned: ReadonlySet<Finding['kind']> = new Set(['unsigned', 'manifest_unsigned']);

function told(terminal: Terminal, verified: LogVerified | ExportVerified, { flags, key, pinned }: Telling): number {
  const { findings: all, entries, leftOut, contents, erased, heads } = verified;
  const findings = flags.unsigned ? all.filter(({ kind }) => !notSigned.has(kind)) : all;
  if (flags.json) {
    const problems = findings.map((finding) => ({ ...finding, text: findingText(finding) }));
    terminal.write(jsonLine({ ok: findings.length === 0, problems, entries, leftOut, contents, erased, heads, key }));
    return findings.length === 0 ? 0 : 1;
  }
  const c = colorsFor(terminal);
  if (findings.length > 0) {
    const lines = findings.slice(0, most).flatMap((finding) => wrapped(`${findingText(finding)}.`, terminal.width - 2));
    const more = findings.length > most ? [`and ${count(findings.length - most)} more`] : [];
    const head = `${c.red('✗')} not as it was written: ${count(findings.length)} ${findings.length === 1 ? 'fault' : 'faults'}`;
    terminal.write(`${[head, ...[...lines, ...more].map((line) => `  ${oneLine(line)}`)].join('\n')}\n`);
    return 1;
  }
  const left = leftOut === 0 ? '' : `, ${count(leftOut)} left out`;
  const gone = erased === 0 ? '' : `, ${count(erased)} contents erased`;
  const said = [
    `${c.green('✓')} ${count(entries)} entries${left}, ${count(contents)} contents${gone}: all as they were written`,
  ];
  if (key === null) said.push('  Not signed: nothing proves who wrote them.');
  else said.push(`  Signed with key ${key}`);
  if (key !== null && !pinned) {
    said.push(c.dim('  Compare it with the id that you were given by another way, or give it with --key.'));
  }
  terminal.write(`${said.join('\n')}\n`);
  return 0;
}

/** Faults that are told. */
const most = 20;
