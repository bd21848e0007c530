/** `longhand chain verify`: whether the facts of a chain are those that its workflow held, and if not, where they part. */

import { type ArchiveMismatch, resolveChainSource } from '../../client/read/chain-source.js';
import {
  findArchiveMismatch,
  parseAsChainFile,
  readRecordedChain,
  toChainFile,
} from '../../client/read/recorded-chain.js';
import { formatCount } from '../../core/lib/display.js';
import { toOneLine } from '../../core/lib/plain-text.js';
import type { ChainFile } from '../../core/record/chain-file.js';
import { type Divergence, type FileVerification, formatDivergence, verifyFile } from '../../core/record/verify-file.js';
import { type Connect, fullId, isFile } from '../access/find.js';
import { noteView, type Viewed } from '../access/note-view.js';
import { withServer } from '../access/open.js';
import { colorsFor } from '../terminal/colors.js';
import { fromFile } from '../terminal/read-text.js';
import { jsonLine, type Terminal } from '../terminal/terminal.js';
import { wrapped } from '../terminal/text.js';

export interface VerifyFlags {
  readonly as?: string;
  readonly json?: boolean;
}

export async function verify(terminal: Terminal, named: string, flags: VerifyFlags): Promise<number> {
  return withServer(async (connect) => {
    const { file, misfiled } = await fileOf(named, connect);
    await noteView({ role: flags.as, command: 'chain verify', named }, [viewedIn(file)]);
    const verified = seenBy(flags.as, withRow(verifyFile(file), misfiled));
    terminal.write(flags.json ? jsonLine(verified) : text(verified, terminal));
    return verified.parting === null ? 0 : 1;
  });
}

interface Found {
  readonly file: ChainFile;
  readonly misfiled: ArchiveMismatch | null;
}

/** Altered or not. */
async function fileOf(named: string, connect: Connect): Promise<Found> {
  if (isFile(named)) return { file: await fromFile(named, parseAsChainFile), misfiled: null };
  const longhand = await connect();
  const source = await resolveChainSource(longhand.client, await fullId(longhand, named));
  const file = toChainFile(await readRecordedChain(source, 'asItIs'));
  if (source.archivedChain === null) return { file, misfiled: null };
  // The archive keeps the digest apart from the facts.
  return { file: { ...file, digest: source.archivedChain.listing.head }, misfiled: await findArchiveMismatch(source) };
}

/** Facts that agree with their digests may still be listed otherwise. */
function withRow(verified: FileVerification, misfiled: ArchiveMismatch | null): FileVerification {
  if (verified.parting !== null || misfiled === null) return verified;
  const { member, expected, found } = misfiled;
  const where = { where: 'the archive', runId: null, eventId: null, agreedUntil: 'the end' };
  const proven = { agreedFacts: verified.facts, afterStep: 0, upToStep: 0 };
  const sides = { expected: `${member}: ${expected}`, found: `${member}: ${found}` };
  return { ...verified, parting: { ...where, ...proven, ...sides } };
}

/** Altered or not, it says whose it is. */
function viewedIn({ chainId, runs, definition }: ChainFile): Viewed {
  const facts = runs.flatMap(({ turns }) => turns).flatMap((turn) => turn.facts);
  const started = facts.find((fact) => fact.type === 'started');
  return { chainId, tenant: started?.input?.tenant ?? null, agent: definition?.name ?? null };
}

/** What is shown of a chain that was verified: two sides that differ are null where the viewer may not see them. */
interface Shown extends Omit<FileVerification, 'parting'> {
  readonly parting:
    | (Omit<Divergence, 'expected' | 'found'> & { readonly [side in 'expected' | 'found']: string | null })
    | null;
}

/** L8: a definition and a result have words in them. */
function seenBy(role: string | undefined, verified: FileVerification): Shown {
  const { parting } = verified;
  const whole = parting === null || role === 'auditor' || !wordy.has(parting.where);
  return whole ? verified : { ...verified, parting: { ...parting, expected: null, found: null } };
}

const wordy: ReadonlySet<string> = new Set(['the definition', 'the result', 'the archive']);

function text({ chainId, facts, calls, digest, parting, unproven }: Shown, { width, ...terminal }: Terminal): string {
  const c = colorsFor(terminal);
  if (parting === null) {
    const at = `${formatCount(calls)} ${calls === 1 ? 'call' : 'calls'} of the model`;
    const beside = wrapped(`Not proven by them: ${unproven.map(toOneLine).join('; ')}.`, width - 2).map(
      (line) => `  ${c.dim(line)}\n`,
    );
    return `${c.green('✓')} ${toOneLine(chainId)}: ${formatCount(facts)} facts agree with the digests at ${at} and at the end\n  ${c.dim(digest)}\n${beside.join('')}`;
  }
  const { expected, found } = parting;
  const lines = [
    `${c.red('✗')} ${toOneLine(chainId)}: altered`,
    ...wrapped(`${formatDivergence(parting)}.`, width - 2).map((line) => `  ${line}`),
    ...(expected === null ? [] : [c.dim(`  recorded ${toOneLine(expected).slice(0, longest)}`)]),
    ...(found === null ? [] : [c.dim(`  found    ${toOneLine(found).slice(0, longest)}`)]),
    ...(expected === null ? [c.dim('  --as auditor shows both.')] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** A digest has 64 characters; a definition that differs is not shown whole. */
const longest = 64;
