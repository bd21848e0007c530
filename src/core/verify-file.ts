/**
 * Whether a chain's facts are those that its workflow held: the workflow wrote a digest of them into each call of the
 * model, and the file holds one over all of them. Facts are hashed as they stand, so that also those are judged that no
 * chain could be made of.
 *
 * It finds what was altered by mistake or by who does not know better. Who writes facts and digests anew is found by
 * comparing with the server, or with a digest that was kept elsewhere.
 */

import { type ChainFile, chainFormat, type FiledTurn, type Head, type SealedChainFile, seal } from './chain-file.js';
import { nextHead } from './digest.js';
import { canonical } from './json.js';
import { refold } from './refold.js';
import { resultOf } from './result.js';

/** Where a recorded chain and its digests part. */
export interface Parting {
  /** The first model call whose digest differs, `the end`, `the definition`, `the result`, or `the file`. */
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

export interface Verified {
  readonly chainId: string;
  readonly facts: number;
  /** Model calls whose digests were compared. */
  readonly calls: number;
  /** Over the facts as they are. */
  readonly digest: string;
  /** Null where everything agrees. */
  readonly parting: Parting | null;
}

/** A file that was written is held to its checksum too. */
export function verifyFile(file: ChainFile | SealedChainFile): Verified {
  const { chainId, runs, digest } = file;
  const { facts, head, atEnds } = hashed(file);
  const said = runs.flatMap(({ runId, heads }) => heads.map((each) => ({ ...each, runId })));
  const verified = { chainId, facts, calls: said.length, digest: head };
  const wrong = said.findIndex((each) => atEnds.get(each.facts) !== each.head);
  const agreed = said[wrong < 0 ? said.length - 1 : wrong - 1];
  const first = said[wrong];
  if (first !== undefined) {
    const found = atEnds.get(first.facts) ?? `no turn that ends after ${first.facts} facts`;
    const place = { where: first.call, runId: first.runId, eventId: first.eventId };
    return { ...verified, parting: { ...place, ...between(file, agreed), expected: first.head, found } };
  }
  const whole = { runId: null, eventId: null, ...between(file, agreed) };
  const held = (where: string, [expected, found]: readonly [string, string]): Parting | null =>
    expected === found ? null : { where, ...whole, expected, found };
  const parting =
    held('the end', [digest, head]) ??
    held('the definition', [definitionIn(file), canonical(file.definition)]) ??
    held('the result', results(file)) ??
    ('checksum' in file ? held('the file', checksums(file)) : null);
  return { ...verified, parting };
}

/**
 * No call of the model follows the last facts: of them the workflow's own end is the proof. Its outcome and its answer are
 * compared, which no version words otherwise.
 */
function results({ runs }: ChainFile): readonly [string, string] {
  const said = runs.at(-1)?.result ?? null;
  if (said === null) return ['', ''];
  return [canonical([said.outcome, said.answer]), cameTo(runs.flatMap((run) => run.turns))];
}

function cameTo(turns: readonly FiledTurn[]): string {
  try {
    const { outcome, answer } = resultOf(refold(turns).chain.state);
    return canonical([outcome, answer]);
  } catch {
    return 'facts that no chain can be made of';
  }
}

function checksums({ checksum, ...file }: SealedChainFile): readonly [string, string] {
  return [checksum, seal(file).checksum];
}

/** In words for a person, without the full stop. */
export function partingText({ where, eventId, agreedUntil, afterStep, upToStep }: Parting): string {
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
function hashed({ runs }: ChainFile) {
  const atEnds = new Map<number, string>();
  let facts = 0;
  let head = '';
  for (const turn of runs.flatMap((run) => run.turns)) {
    for (const fact of turn.facts) head = nextHead(head, fact);
    facts += turn.facts.length;
    atEnds.set(facts, head);
  }
  return { facts, head, atEnds };
}

/** Between two calls of the model lies the reply to the first, and what came of what it asked for. */
function between(
  { runs }: ChainFile,
  agreed: Head | undefined,
): Pick<Parting, 'agreedUntil' | 'agreedFacts' | 'afterStep' | 'upToStep'> {
  if (agreed === undefined) return { agreedUntil: 'the start', agreedFacts: 0, afterStep: 0, upToStep: 0 };
  let facts = 0;
  const turns = runs.flatMap((run) => run.turns);
  const proven = turns.filter((turn) => {
    facts += turn.facts.length;
    return facts <= agreed.facts;
  });
  const { steps } = refold(proven).chain.state;
  return { agreedUntil: agreed.call, agreedFacts: agreed.facts, afterStep: steps, upToStep: steps + 1 };
}

function definitionIn({ runs }: ChainFile): string {
  const facts = runs.flatMap((run) => run.turns.flatMap((turn) => turn.facts));
  const prepared = facts.find((fact) => fact.type === 'prepared');
  return canonical(prepared?.agent ?? null);
}
