/**
 * Verifies that a chain's facts are those of its workflow: each model call contains a digest of them, and the file one
 * over all. Facts are hashed as they are, so facts that form no valid chain are checked too.
 *
 * It finds mistakes and naive alterations. Facts with rewritten digests are found only by comparison with the server or
 * with a digest stored elsewhere.
 *
 * Data outside the facts is checked where facts name it: the chain id, and the ids of all runs but the last. The rest
 * is reported as `unproven`.
 */

import { type ChainResult, computeHead, foldRecordedTurns, toCloseResult } from '../engine/index.js';
import { toCanonicalJson } from '../lib/index.js';
import {
  type ChainFile,
  type ChainFileTurn,
  chainFormat,
  findDefinition,
  type ModelCallHead,
  type SealedChainFile,
  sealChainFile,
} from './chain-file.js';
import { checkFaults } from './closed-result.js';

/** The place where a recorded chain and its digests disagree. */
export interface Divergence {
  /**
   * First model call with another digest, or `the end`, `the facts`, `the chain id`, `a run id`, `the definition`, `the
   * result`, `the archive`, `the file`.
   */
  readonly where: string;
  readonly runId: string | null;
  readonly eventId: number | null;
  /** The last place of agreement: a call, or `the start`. */
  readonly agreedUntil: string;
  /** Number of facts that its digest proves. */
  readonly agreedFacts: number;
  /** The difference is after this step; 0 for before the first. */
  readonly afterStep: number;
  /** The difference is in or before this step. */
  readonly upToStep: number;
  readonly expected: string;
  readonly found: string;
}

export interface FileVerification {
  readonly chainId: string;
  readonly facts: number;
  /** Model calls whose digests were compared. */
  readonly calls: number;
  /** Digest of the facts as they are. */
  readonly digest: string;
  /** Data that no fact and no digest proves, in words. */
  readonly unproven: readonly string[];
  /** Null if all agrees. */
  readonly divergence: Divergence | null;
}

/** A difference and its place. */
type Mismatch = Pick<Divergence, 'where' | 'runId' | 'eventId' | 'expected' | 'found'>;

/** Verifies a file. A sealed file is also checked against its checksum. */
export function verifyFile(file: ChainFile | SealedChainFile): FileVerification {
  const { facts, head, atEnds } = computeHeads(file);
  const recorded = file.runs.flatMap(({ runId, heads }) => heads.map((runHead) => ({ ...runHead, runId })));
  const verified = { chainId: file.chainId, facts, calls: recorded.length, digest: head, unproven: listUnproven(file) };
  const mismatchIndex = recorded.findIndex((runHead) => atEnds.get(runHead.facts) !== runHead.head);
  const first = recorded[mismatchIndex];
  const difference =
    first === undefined
      ? findMismatchAfterCalls(file, head)
      : {
          where: first.call,
          runId: first.runId,
          eventId: first.eventId,
          expected: first.head,
          found: atEnds.get(first.facts) ?? `no turn that ends after ${first.facts} facts`,
        };
  if (difference === null) return { ...verified, divergence: null };
  const agreed = recorded[mismatchIndex < 0 ? recorded.length - 1 : mismatchIndex - 1];
  const behind = agreed === undefined ? startPosition : computePosition(file, agreed);
  return {
    ...verified,
    divergence: behind === null ? { ...unfoldableFacts, ...startPosition } : { ...difference, ...behind },
  };
}

/** Finds a mismatch after the last model call. */
function findMismatchAfterCalls(file: ChainFile | SealedChainFile, head: string): Mismatch | null {
  if (file.digest !== head) return findMismatch('the end', file.digest, head);
  const result = tryFold(listTurns(file), file.runs.at(-1));
  if (result === null) return unfoldableFacts;
  return (
    compareIds(file) ??
    findMismatch('the definition', toCanonicalJson(findDefinition(file.runs)), toCanonicalJson(file.definition)) ??
    findMismatch('the result', ...toComparableResults(file, result)) ??
    ('checksum' in file ? findMismatch('the file', ...computeChecksums(file)) : null)
  );
}

/** The first fact names the chain; the first fact of each later run names the run before. */
function compareIds({ chainId, runs }: ChainFile): Mismatch | null {
  const started = runs[0]?.turns[0]?.facts.find((fact) => fact.type === 'started');
  const own = started === undefined ? null : findMismatch('the chain id', started.chainId, chainId);
  if (own !== null) return own;
  for (const [at, run] of runs.slice(1).entries()) {
    const [first] = run.turns[0]?.facts ?? [];
    const before = runs[at]?.runId ?? '';
    const differs = first?.type === 'continued' ? findMismatch('a run id', first.runId, before) : null;
    if (differs !== null) return { ...differs, runId: run.runId };
  }
  return null;
}

function listUnproven({ runs }: ChainFile): readonly string[] {
  return [
    `the id of its last run (${runs.at(-1)?.runId ?? 'none'})`,
    'how and when its runs closed',
    'event ids and history sizes',
    'the times, workers and failures of attempts',
  ];
}

function findMismatch(where: string, expected: string, found: string): Mismatch | null {
  return expected === found ? null : { where, runId: null, eventId: null, expected, found };
}

/** Rewritten digests can match any facts. */
const unfoldableFacts: Mismatch = {
  where: 'the facts',
  runId: null,
  eventId: null,
  expected: 'facts of a valid chain',
  found: 'facts that form no valid chain',
};

/** Returns the result of the facts; null if they form no valid chain. */
function tryFold(turns: readonly ChainFileTurn[], last?: ChainFile['runs'][number]): ChainResult | null {
  try {
    const folded = foldRecordedTurns(turns);
    checkFaults(folded, last);
    return toCloseResult(folded.chain.state);
  } catch {
    return null;
  }
}

/**
 * No model call proves the last facts; the workflow's own result does. Compares outcome and answer, whose texts are the
 * same in all versions.
 */
function toComparableResults({ runs }: ChainFile, result: ChainResult): readonly [string, string] {
  return [toComparableResult(runs.at(-1)?.result ?? result), toComparableResult(result)];
}

function toComparableResult({ outcome, answer }: ChainResult): string {
  return toCanonicalJson([outcome, answer]);
}

function computeChecksums({ checksum, ...file }: SealedChainFile): readonly [string, string] {
  return [checksum, sealChainFile(file).checksum];
}

/** Returns the divergence as a sentence without the full stop. */
export function formatDivergence({
  where,
  eventId,
  agreedUntil,
  afterStep,
  upToStep,
}: Omit<Divergence, 'expected' | 'found'>): string {
  if (where === 'the facts') {
    return 'The facts match their digests but form no valid chain: no workflow recorded them';
  }
  if (where === 'the chain id') {
    return 'The chain id is not the one in the first fact: the file belongs to another chain';
  }
  if (where === 'a run id') return 'The id of a run is not the one that the next run names';
  if (where === 'the archive') {
    return 'The facts match their digests, but the archive lists the chain differently';
  }
  if (where === 'the definition') {
    return `The definition of the agent is not the one in the facts of the ${chainFormat} file`;
  }
  if (where === 'the result') {
    return `The facts and the digests agree until ${agreedUntil}, but the workflow's result differs from the facts`;
  }
  if (where === 'the file') {
    return 'The facts match their digests, but another part of the file was altered: the checksum differs';
  }
  const place = eventId === null ? where : `${where} (event ${eventId})`;
  const step = upToStep === 0 ? 'before the first step' : `after step ${afterStep}, in step ${upToStep} or its results`;
  return `The facts and the digests agree until ${agreedUntil} and differ before ${place}: ${step}`;
}

/** Returns the head over all facts, and the heads at the ends of turns by number of facts. */
function computeHeads(file: ChainFile) {
  const atEnds = new Map<number, string>();
  let facts = 0;
  let head = '';
  for (const turn of listTurns(file)) {
    for (const fact of turn.facts) head = computeHead(head, fact);
    facts += turn.facts.length;
    atEnds.set(facts, head);
  }
  return { facts, head, atEnds };
}

type AgreedPosition = Pick<Divergence, 'agreedUntil' | 'agreedFacts' | 'afterStep' | 'upToStep'>;

const startPosition: AgreedPosition = { agreedUntil: 'the start', agreedFacts: 0, afterStep: 0, upToStep: 0 };

/** The facts between two model calls: the reply to the first, and the results of its calls. */
function computePosition(file: ChainFile, agreed: ModelCallHead): AgreedPosition | null {
  let facts = 0;
  const proven = listTurns(file).filter((turn) => {
    facts += turn.facts.length;
    return facts <= agreed.facts;
  });
  const steps = tryFold(proven)?.steps;
  if (steps === undefined) return null;
  return { agreedUntil: agreed.call, agreedFacts: agreed.facts, afterStep: steps, upToStep: steps + 1 };
}

function listTurns({ runs }: ChainFile): readonly ChainFileTurn[] {
  return runs.flatMap((run) => run.turns);
}
