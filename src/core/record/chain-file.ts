/**
 * A chain in one JSON file: what its history holds of it, and nothing derived, so that whoever reads the file computes
 * the chain as everybody does (L1). The format is kept for ever.
 *
 * 1. A reader passes over members that it does not know. What is needed to understand a file that an older reader would
 *    take for whole is a new version, beside this one.
 * 2. A chain that continues as new has several runs; its facts are counted and hashed through all of them.
 * 3. A chain that another one began is a file of its own, found by its id.
 * 4. Facts are hashed as their workflow hashed them; a checksum over the file guards what lies beside them.
 */

import { isRecordedTurn, isTimestamp, type RecordedTurn } from '../engine/recorded-turn.js';
import type { ChainResult } from '../engine/result.js';
import { computeDigest as sha256 } from '../lib/digest.js';
import { isObject, type Json, type JsonObject, toCanonicalJson } from '../lib/json.js';
import type { ActivityAttempts } from '../model/activity.js';
import type { AgentSnapshot } from '../model/agent.js';

export const chainFormat = 'longhand.chain';
export const chainVersion = 1;

/** What the workflow held when it decided on a call of the model. */
export interface ModelCallHead {
  /** The call's activity, `model-4`. */
  readonly call: string;
  readonly eventId: number;
  readonly facts: number;
  readonly head: string;
}

export type CloseStatus = 'completed' | 'failed' | 'canceled' | 'terminated' | 'timedOut' | 'continuedAsNew';

export interface ChainFileTurn extends RecordedTurn {
  /** The activities that the workflow began at its end, in their order: `prepare`, `model-4`, `3.1`. */
  readonly asked: readonly string[];
}

/** The run that a reset was made of, and the first event that the new run does not share with it. */
export interface ResetPoint {
  readonly runId: string;
  readonly cut: number;
}

/** One run of the workflow. Event ids count anew in each. */
export interface ChainRun {
  readonly runId: string;
  /** Only of a run that was made by a reset in Temporal. */
  readonly reset?: ResetPoint;
  /** Null while it ran when the file was written. */
  readonly closed: CloseStatus | null;
  /** Milliseconds since 1970. */
  readonly closedAt: number | null;
  /** What the workflow itself said it came to; null where its close carries nothing. */
  readonly result: ChainResult | null;
  readonly turns: readonly ChainFileTurn[];
  readonly heads: readonly ModelCallHead[];
  /** What became of each activity, by its id. Lies beside the facts: no digest knows of it. */
  readonly attempts: { readonly [activity: string]: ActivityAttempts };
}

export interface ChainFile {
  readonly format: typeof chainFormat;
  readonly version: typeof chainVersion;
  readonly chainId: string;
  /** The agent as it was when the chain began, as its fact has it too; null for a chain that was never prepared. */
  readonly definition: AgentSnapshot | null;
  /** The first one first. */
  readonly runs: readonly ChainRun[];
  /** SHA-256 head over all facts. */
  readonly digest: string;
}

/** As it is written. */
export interface SealedChainFile extends ChainFile {
  /** SHA-256 over the canonical JSON of everything else in the file, members that nobody knows included. */
  readonly checksum: string;
}

/** As its fact has it: the chain's own may have had limits raised since. */
export function findDefinition(runs: readonly Pick<ChainRun, 'turns'>[]): AgentSnapshot | null {
  const facts = runs.flatMap(({ turns }) => turns).flatMap((turn) => turn.facts);
  return facts.find((fact) => fact.type === 'prepared' || fact.type === 'subChainPrepared')?.agent ?? null;
}

export function sealChainFile(file: ChainFile): SealedChainFile {
  return { ...file, checksum: sha256(toCanonicalJson(file)) };
}

export type ChainFileParseResult =
  | { readonly ok: true; readonly file: SealedChainFile }
  /** As the end of a sentence. */
  | { readonly ok: false; readonly problem: string };

/** Checks that a value has the form of a chain's file. Whether its facts were left alone, `verifyFile` says. */
export function parseChainFile(value: unknown): ChainFileParseResult {
  if (!isObject(value) || value.format !== chainFormat) return toProblem(`it is no ${chainFormat} file`);
  if (value.version !== chainVersion) {
    return toProblem(`it is of version ${JSON.stringify(value.version)}; this Longhand reads version ${chainVersion}`);
  }
  const { chainId, definition, runs, digest, checksum } = value;
  if (typeof chainId !== 'string') return toProblem('it has no chain id');
  if (typeof digest !== 'string' || typeof checksum !== 'string') return toProblem('it has no digest or no checksum');
  if (definition !== null && !isObject(definition)) return toProblem('it has no definition of its agent');
  if (!isList(runs) || runs.length === 0) return toProblem('it has no runs');
  for (const [at, run] of runs.entries()) {
    const problem = isObject(run) ? findRunProblem(run) : 'nothing';
    if (problem !== null) return toProblem(`its run ${at + 1} has ${problem}`);
  }
  // The form of facts is that of their digests: verified, they are what a workflow once held.
  return { ok: true, file: value as unknown as SealedChainFile };
}

function findRunProblem({ runId, closed, closedAt, result, turns, heads, attempts }: JsonObject): string | null {
  if (typeof runId !== 'string') return 'no id';
  if (closed !== null && !closeStatuses.has(closed ?? '')) return `the unknown status ${JSON.stringify(closed)}`;
  if (!isTimeOrNull(closedAt) || (result !== null && !isObject(result))) return 'an end that cannot be read';
  if (!isList(turns)) return 'no turns';
  const broken = turns.findIndex((turn) => !isTurn(turn));
  if (broken >= 0) return `a turn that is not complete, number ${broken + 1}`;
  if (!isList(heads) || !heads.every(isHead)) return 'digests of model calls that cannot be read';
  if (!isObject(attempts) || !Object.values(attempts).every(isAttempts)) return 'attempts that cannot be read';
  return null;
}

const closeStatuses: ReadonlySet<Json> = new Set<CloseStatus>([
  'completed',
  'failed',
  'canceled',
  'terminated',
  'timedOut',
  'continuedAsNew',
]);

function isTurn(turn: Json): boolean {
  if (!isObject(turn) || !isRecordedTurn(turn)) return false;
  return isList(turn.asked) && turn.asked.every((id) => typeof id === 'string');
}

function isHead(head: Json): boolean {
  if (!isObject(head) || typeof head.call !== 'string' || typeof head.head !== 'string') return false;
  return typeof head.eventId === 'number' && typeof head.facts === 'number';
}

function isAttempts(value: Json): boolean {
  if (!isObject(value) || typeof value.made !== 'number' || typeof value.scheduledEventId !== 'number') return false;
  const { startedAt, endedAt, endedEventId, worker, lastFailure } = value;
  return (
    [startedAt, endedAt].every(isTimeOrNull) &&
    (endedEventId === null || typeof endedEventId === 'number') &&
    [worker, lastFailure].every((text) => text === null || typeof text === 'string')
  );
}

function isTimeOrNull(value: Json | undefined): boolean {
  return value === null || isTimestamp(value);
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function toProblem(problem: string): ChainFileParseResult {
  return { ok: false, problem };
}
