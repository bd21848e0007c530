/** `longhand chain verify`: verifies the facts of a chain against the digests of its workflow. */

import {
  type ArchiveMismatch,
  findArchiveMismatch,
  parseAsChainFile,
  readRecordedChain,
  resolveChainSource,
  toChainFile,
} from '../../client/index.js';
import { formatCount, formatPlural, toOneLine } from '../../core/lib/index.js';
import {
  type ChainFile,
  type Divergence,
  type FileVerification,
  formatDivergence,
  type PromptVerification,
  verifyFile,
  verifyPrompts,
} from '../../core/record/index.js';
import { computeSha256 } from '../../history/index.js';
import type { ViewedChain } from '../../store/index.js';
import { type Connect, isFile, resolveChainId } from '../access/find-chain.js';
import { withServer } from '../access/open.js';
import { recordView } from '../access/record-view.js';
import { type Colors, getColors } from '../terminal/colors.js';
import { parseFile } from '../terminal/read-text.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import { wrapText } from '../terminal/text.js';

export interface ChainVerifyFlags {
  readonly as?: string;
  readonly json?: boolean;
}

export async function verifyChain(terminal: Terminal, reference: string, flags: ChainVerifyFlags): Promise<number> {
  return withServer(async (connect) => {
    const { file, misfiled } = await readChainFile(reference, connect);
    await recordView({ role: flags.as, command: 'chain verify', named: reference }, [toViewedChainFile(file)]);
    const verified = addPrompts(file, maskForRole(flags.as, addMisfiled(verifyFile(file), misfiled)));
    terminal.write(flags.json ? formatJson(verified) : formatVerification(verified, terminal));
    return verified.divergence === null ? 0 : 1;
  });
}

interface ChainFileSource {
  readonly file: ChainFile;
  readonly misfiled: ArchiveMismatch | null;
}

/** Reads the facts of a chain even if they were altered. */
async function readChainFile(reference: string, connect: Connect): Promise<ChainFileSource> {
  if (isFile(reference)) return { file: await parseFile(reference, parseAsChainFile), misfiled: null };
  const longhand = await connect();
  const source = await resolveChainSource(longhand.client, await resolveChainId(longhand, reference));
  const file = toChainFile(await readRecordedChain(source, 'asItIs'));
  if (source.archivedChain === null) return { file, misfiled: null };
  // The archive stores the digest separately from the facts.
  return { file: { ...file, digest: source.archivedChain.listing.head }, misfiled: await findArchiveMismatch(source) };
}

/** Adds the comparison of rebuilt prompts with those that were sent. Altered facts have none: they may form no chain. */
function addPrompts(file: ChainFile, verified: VerificationView): VerificationView {
  if (verified.divergence !== null) return verified;
  const turns = file.runs.flatMap((run) => run.turns);
  return { ...verified, prompts: verifyPrompts(turns, computeSha256) };
}

/** Adds a mismatch of the archive's list: facts that agree with their digests may still be listed differently. */
function addMisfiled(verified: FileVerification, misfiled: ArchiveMismatch | null): FileVerification {
  if (verified.divergence !== null || misfiled === null) return verified;
  const { member, expected, found } = misfiled;
  const where = { where: 'the archive', runId: null, eventId: null, agreedUntil: 'the end' };
  const proven = { agreedFacts: verified.facts, afterStep: 0, upToStep: 0 };
  const sides = { expected: `${member}: ${expected}`, found: `${member}: ${found}` };
  return { ...verified, divergence: { ...where, ...proven, ...sides } };
}

/** Reads the owner of a chain from its facts, altered or not. */
function toViewedChainFile({ chainId, runs, definition }: ChainFile): ViewedChain {
  const facts = runs.flatMap(({ turns }) => turns).flatMap((turn) => turn.facts);
  const started = facts.find((fact) => fact.type === 'started');
  return { chainId, tenant: started?.input?.tenant ?? null, agent: definition?.name ?? null };
}

/** A verification as a viewer may see it: hidden sides of a difference are null. */
interface VerificationView extends Omit<FileVerification, 'divergence'> {
  /** Absent if the facts diverge. */
  readonly prompts?: PromptVerification;
  readonly divergence:
    | (Omit<Divergence, 'expected' | 'found'> & { readonly [side in 'expected' | 'found']: string | null })
    | null;
}

/** Hides content from all roles but the auditor. L8: a definition and a result contain text. */
function maskForRole(role: string | undefined, verified: FileVerification): VerificationView {
  const { divergence } = verified;
  const isVisible = divergence === null || role === 'auditor' || !maskedPlaces.has(divergence.where);
  return isVisible ? verified : { ...verified, divergence: { ...divergence, expected: null, found: null } };
}

const maskedPlaces: ReadonlySet<string> = new Set(['the definition', 'the result', 'the archive']);

function formatVerification(
  { chainId, facts, calls, digest, divergence, unproven, prompts }: VerificationView,
  { width, ...terminal }: Terminal,
): string {
  const c = getColors(terminal);
  if (divergence === null) {
    const at = formatPlural(calls, 'model call');
    const unprovenLines = wrapText(`Not covered by the digests: ${unproven.map(toOneLine).join('; ')}.`, width - 2).map(
      (line) => `  ${c.dim(line)}\n`,
    );
    return `${c.green('✓')} ${toOneLine(chainId)}: ${formatCount(facts)} facts agree with the digests at ${at} and at the end\n  ${c.dim(digest)}\n${formatPrompts(prompts, c)}${unprovenLines.join('')}`;
  }
  const { expected, found } = divergence;
  const lines = [
    `${c.red('✗')} ${toOneLine(chainId)}: altered`,
    ...wrapText(`${formatDivergence(divergence)}.`, width - 2).map((line) => `  ${line}`),
    ...(expected === null ? [] : [c.dim(`  recorded ${toOneLine(expected).slice(0, maxShownLength)}`)]),
    ...(found === null ? [] : [c.dim(`  found    ${toOneLine(found).slice(0, maxShownLength)}`)]),
    ...(expected === null ? [c.dim('  --as auditor shows both.')] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** A difference is not a fault of the facts: another version of Longhand renders other prompts. */
function formatPrompts(prompts: PromptVerification | undefined, c: Colors): string {
  if (prompts === undefined) return '';
  const { proven, differing } = prompts;
  const matching = proven === 0 ? '' : `  ${formatPlural(proven, 'prompt')} rebuilt as sent\n`;
  if (differing.length === 0) return matching;
  const listed = differing.length > 5 ? `${differing.slice(0, 5).join(', ')} …` : differing.join(', ');
  const words = `${formatCount(differing.length)} not rebuilt as sent, by another version of Longhand: ${listed}`;
  return `${matching}  ${c.yellow('!')} ${words}\n`;
}

/** Length of a digest; longer values are cut. */
const maxShownLength = 64;
