/**
 * Whether a chain's facts are those that its workflow held: the workflow wrote a digest of them into each call of the
 * model, and the file holds one over all of them. Facts are hashed as they stand, so that also those are judged that no
 * chain could be made of.
 *
 * It finds what was altered by mistake or by who does not know better. Who writes facts and digests anew is found by
 * comparing with the server, or with a digest that was kept elsewhere.
 *
 * What lies beside the facts is held to them where they name it: the chain's id, and the ids of all runs but the last. What
 * no fact names is told (`unproven`).
 */

import { computeHead } from '../engine/advance.js';
import { foldRecordedTurns } from '../engine/fold-turns.js';
import { type ChainResult, toCloseResult } from '../engine/result.js';
import { toCanonicalJson } from '../lib/json.js';
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

/** Where a recorded chain and its digests part. */
export interface Divergence {
  /** The first model call whose digest differs, `the end`, `the facts`, `the chain id`, `a run id`, `the definition`, `the result`, `the archive`, or `the file`. */
  readonly where: string;
  readonly runId: string | null;
  readonly eventId: number | null;
  /** The last place at which both agreed: a call, or `the start`. */
  readonly agreedUntil: string;
  /** Facts that are proven by the digest there. */
  readonly agreedFacts: number;
  /** What differs lies behind this step; 0 for before the first. */
  readonly afterStep: number;
  /** And in or before this one. */
  readonly upToStep: number;
  readonly expected: string;
  readonly found: string;
}

export interface FileVerification {
  readonly chainId: string;
  readonly facts: number;
  /** Model calls whose digests were compared. */
  readonly calls: number;
  /** Over the facts as they are. */
  readonly digest: string;
  /** What no fact and no digest proves, in words. */
  readonly unproven: readonly string[];
  /** Null where everything agrees. */
  readonly parting: Divergence | null;
}

/** What differs, at its place. */
type Mismatch = Pick<Divergence, 'where' | 'runId' | 'eventId' | 'expected' | 'found'>;

/** A file that was written is held to its checksum too. */
export function verifyFile(file: ChainFile | SealedChainFile): FileVerification {
  const { facts, head, atEnds } = computeHeads(file);
  const said = file.runs.flatMap(({ runId, heads }) => heads.map((each) => ({ ...each, runId })));
  const verified = { chainId: file.chainId, facts, calls: said.length, digest: head, unproven: listUnproven(file) };
  const wrong = said.findIndex((each) => atEnds.get(each.facts) !== each.head);
  const first = said[wrong];
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
  if (difference === null) return { ...verified, parting: null };
  const agreed = said[wrong < 0 ? said.length - 1 : wrong - 1];
  const behind = agreed === undefined ? startPosition : computePosition(file, agreed);
  return {
    ...verified,
    parting: behind === null ? { ...unfoldableFacts, ...startPosition } : { ...difference, ...behind },
  };
}

/** Where every call of the model agrees. */
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

/** A chain's first fact names it; the first fact of each later run names the run before. */
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

/** Who writes digests anew can give any facts their own. */
const unfoldableFacts: Mismatch = {
  where: 'the facts',
  runId: null,
  eventId: null,
  expected: 'facts that a chain can be made of',
  found: 'facts that no chain can be made of',
};

/** What the facts come to; null for those that no chain can be made of. */
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
 * No call of the model follows the last facts: of them the workflow's own end is the proof. Its outcome and its answer are
 * compared, which no version words otherwise.
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

/** In words for a person, without the full stop. */
export function formatDivergence({
  where,
  eventId,
  agreedUntil,
  afterStep,
  upToStep,
}: Omit<Divergence, 'expected' | 'found'>): string {
  if (where === 'the facts') {
    return 'The facts agree with their digests, and no chain can be made of them: no workflow held them';
  }
  if (where === 'the chain id') {
    return 'The chain id is not the one in its first fact: the file is of another chain, or was given its name';
  }
  if (where === 'a run id') return 'The id of a run is not the one that the run behind it names';
  if (where === 'the archive') {
    return 'The facts agree with their digests, and the archive lists the chain otherwise than they say';
  }
  if (where === 'the definition') {
    return `The definition of the agent is not the one that the ${chainFormat} file's own facts hold`;
  }
  if (where === 'the result') {
    return `The facts and the digests agree until ${agreedUntil}, and the workflow ended otherwise than the facts behind it say`;
  }
  if (where === 'the file') {
    return 'The facts agree with their digests, and something beside them was altered: the checksum is that of another file';
  }
  const place = eventId === null ? where : `${where} (event ${eventId})`;
  const step =
    upToStep === 0 ? 'before the first step' : `behind step ${afterStep}, in step ${upToStep} or its results`;
  return `The facts and the digests agree until ${agreedUntil} and part before ${place}: ${step}`;
}

/** The head over all facts, and at the end of each turn, by how many facts there were. */
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

/** Between two calls of the model lies the reply to the first, and what came of what it asked for. */
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
