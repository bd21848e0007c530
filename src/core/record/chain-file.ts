/**
 * A chain in one JSON file: the facts of its history, nothing derived, so that every reader computes the same chain
 * (L1). The format is permanent.
 *
 * 1. A reader ignores unknown members. A member that is needed to understand the file requires a new version.
 * 2. A chain that continues as new has several runs; facts are counted and hashed across them.
 * 3. A sub-chain has its own file, found by its id.
 * 4. Facts are hashed as their workflow hashed them; a checksum over the file protects everything else.
 */

import { type ChainResult, checkTimestamp, isRecordedTurn, type RecordedTurn } from '../engine/index.js';
import { check, isObject, type JsonObject, computeDigest as sha256, toCanonicalJson } from '../lib/index.js';
import type { ActivityAttempts, AgentSnapshot, AttemptFailure } from '../model/index.js';

export const chainFormat = 'longhand.chain';
export const chainVersion = 1;

/** The number of facts and their head when the workflow decided on a model call. */
export interface ModelCallHead {
  /** The call's activity, `model-4`. */
  readonly call: string;
  readonly eventId: number;
  readonly facts: number;
  readonly head: string;
}

export type CloseStatus = 'completed' | 'failed' | 'canceled' | 'terminated' | 'timedOut' | 'continuedAsNew';

export interface ChainFileTurn extends RecordedTurn {
  /** The activities and local calls that the workflow scheduled at its end, in order: `prepare`, `model-4`, `3.1`. */
  readonly scheduled: readonly string[];
}

/** The run that a reset copied, and the first event that the new run does not share with it. */
export interface ResetPoint {
  readonly runId: string;
  readonly cut: number;
}

/** One run of the workflow. Each run has its own event ids. */
export interface ChainRun {
  readonly runId: string;
  /** Only for a run created by a reset in Temporal. */
  readonly reset?: ResetPoint;
  /** Null if it was running when the file was written. */
  readonly closed: CloseStatus | null;
  /** Milliseconds since 1970. */
  readonly closedAt: number | null;
  /** The workflow's own result; null if its close contains none. */
  readonly result: ChainResult | null;
  readonly turns: readonly ChainFileTurn[];
  readonly heads: readonly ModelCallHead[];
  /** Attempts of each activity, by its id. Not a fact, and in no digest. */
  readonly attempts: { readonly [activity: string]: ActivityAttempts };
}

export interface ChainFile {
  readonly format: typeof chainFormat;
  readonly version: typeof chainVersion;
  readonly chainId: string;
  /** The agent's snapshot, as in its fact; null for a chain that was never prepared. */
  readonly definition: AgentSnapshot | null;
  /** Oldest first. */
  readonly runs: readonly ChainRun[];
  /** SHA-256 head over all facts. */
  readonly digest: string;
}

/** A chain file as it is written. */
export interface SealedChainFile extends ChainFile {
  /** SHA-256 over the canonical JSON of the rest of the file, unknown members included. */
  readonly checksum: string;
}

/** Returns the snapshot of the fact: the limits of the chain's state may have been raised. */
export function findDefinition(runs: readonly Pick<ChainRun, 'turns'>[]): AgentSnapshot | null {
  const facts = runs.flatMap(({ turns }) => turns).flatMap((turn) => turn.facts);
  return facts.find((fact) => fact.type === 'prepared')?.agent ?? null;
}

export function sealChainFile(file: ChainFile): SealedChainFile {
  return { ...file, checksum: sha256(toCanonicalJson(file)) };
}

export type ChainFileParseResult =
  | { readonly ok: true; readonly file: SealedChainFile }
  /** The end of a sentence. */
  | { readonly ok: false; readonly problem: string };

/** Checks that a value has the form of a chain file. `verifyFile` checks that its facts are unaltered. */
export function parseChainFile(value: unknown): ChainFileParseResult {
  if (!isObject(value) || value.format !== chainFormat) return toProblem(`it is not a ${chainFormat} file`);
  if (value.version !== chainVersion) {
    return toProblem(`it has version ${JSON.stringify(value.version)}; this Longhand reads version ${chainVersion}`);
  }
  const { chainId, definition, runs, digest, checksum } = value;
  if (typeof chainId !== 'string') return toProblem('it has no chain id');
  if (typeof digest !== 'string' || typeof checksum !== 'string') return toProblem('it has no digest or no checksum');
  if (definition !== null && !isObject(definition)) return toProblem('it has no definition of its agent');
  if (!Array.isArray(runs) || runs.length === 0) return toProblem('it has no runs');
  for (const [at, run] of runs.entries()) {
    const problem = isObject(run) ? findRunProblem(run) : 'nothing';
    if (problem !== null) return toProblem(`its run ${at + 1} has ${problem}`);
  }
  // The digests cover the form of facts: verified facts are those of a workflow.
  return { ok: true, file: value as unknown as SealedChainFile };
}

function findRunProblem({ runId, closed, closedAt, result, turns, heads, attempts }: JsonObject): string | null {
  if (typeof runId !== 'string') return 'no id';
  if (!checkCloseStatus.is(closed)) return `the unknown status ${JSON.stringify(closed)}`;
  if (!checkTime.is(closedAt) || (result !== null && !isObject(result))) return 'an invalid end';
  if (!Array.isArray(turns)) return 'no turns';
  const broken = turns.findIndex((turn) => !isRecordedTurn(turn) || !isScheduling(turn));
  if (broken >= 0) return `an incomplete turn, number ${broken + 1}`;
  if (!checkHeads.is(heads)) return 'invalid digests of model calls';
  return checkAttempts.is(attempts) ? null : 'invalid attempts';
}

const checkCloseStatus = check.nullable(
  check.oneOf<CloseStatus>(['completed', 'failed', 'canceled', 'terminated', 'timedOut', 'continuedAsNew']),
);

const isScheduling = check.shape({ scheduled: check.texts }).is;

const checkTime = check.nullable(checkTimestamp);
const checkAttempts = check.record(
  check.shape<ActivityAttempts>({
    ...{ made: check.number, scheduledEventId: check.number },
    ...{ startedAt: checkTime, endedAt: checkTime, endedEventId: check.nullable(check.number) },
    worker: check.nullable(check.text),
    lastFailure: check.nullable(
      check.shape<AttemptFailure>({ type: check.text, message: check.text, stack: check.nullable(check.text) }),
    ),
  }),
);

const checkHeads = check.list(
  check.shape<ModelCallHead>({ call: check.text, head: check.text, eventId: check.number, facts: check.number }),
);

function toProblem(problem: string): ChainFileParseResult {
  return { ok: false, problem };
}
