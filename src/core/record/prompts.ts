/**
 * Rebuilds the prompts of a chain's model calls: strategies render equal requests for equal chains. The fact of a reply
 * has the digest of the request that was sent, which proves the rebuilt one.
 *
 * 1. A request is rendered from the chain at the turn that decided the call, as its activity did.
 * 2. A fork made none of the calls of its first steps: their prompts are rebuilt from the turns of its origin.
 * 3. A difference is not an alteration of the facts: another version of Longhand renders another request.
 */

import { emptyRecord, findOriginTurns, foldRecordedTurns, type RecordedTurn, selectModel } from '../engine/index.js';
import { type Sha256, toCanonicalJson } from '../lib/index.js';
import {
  type Action,
  type AgentSnapshot,
  type Chain,
  emptyState,
  type Fact,
  type MissingPrompt,
  type ModelCallRef,
  type ModelFailure,
  type ModelReply,
  type Prompt,
  type SentPrompt,
} from '../model/index.js';
import { renderRequest } from '../strategies/index.js';

/** Returns the prompt of a model call; null for a call that the chain did not make. */
export function findPrompt(turns: readonly RecordedTurn[], ref: ModelCallRef, sha256: Sha256): Prompt | null {
  const made = findModelCall(turns, ref, sha256);
  return made === null ? null : rebuildPrompt(made, sha256);
}

export function findModelCall(turns: readonly RecordedTurn[], ref: ModelCallRef, sha256: Sha256): MadeCall | null {
  const call = typeof ref === 'string' ? ref : findCallOfStep(turns, ref, sha256);
  for (const made of listModelCalls(turns, sha256)) if (made.action.call === call) return made;
  const origin = findOriginTurns(turns);
  return origin === null || call === null ? null : findModelCall(origin, call, sha256);
}

function findCallOfStep(turns: readonly RecordedTurn[], step: number, sha256: Sha256): string | null {
  const modelStep = foldRecordedTurns(turns, undefined, sha256).chain.steps.find(({ number }) => number === step);
  return modelStep === undefined ? null : `model-${modelStep.modelCall}`;
}

/** Rebuilds the prompt of each call, in order. */
export function* listPrompts(turns: readonly RecordedTurn[], sha256: Sha256): Generator<Prompt, void> {
  for (const made of listModelCalls(turns, sha256)) yield rebuildPrompt(made, sha256);
}

export interface PromptVerification {
  /** Number of calls whose rebuilt request is the one that was sent. */
  readonly proven: number;
  /** The calls whose request differs from the one that was sent. */
  readonly differing: readonly string[];
}

/** Rebuilds the request of each call that has a reply. @param turns verified ones, of all runs */
export function verifyPrompts(turns: readonly RecordedTurn[], sha256: Sha256): PromptVerification {
  const differing: string[] = [];
  let proven = 0;
  for (const prompt of listPrompts(turns, sha256)) {
    if (prompt.kind === 'missing' || prompt.proof === 'unproven') continue;
    if (prompt.proof === 'proven') proven += 1;
    else differing.push(prompt.call);
  }
  return { proven, differing };
}

type ModelCallAction = Extract<Action, { type: 'callModel' }>;

/** The fact that ended a model call. */
type CallEnd = Extract<Fact, { type: 'modelReplied' | 'modelFailed' | 'checkEnded' }>;

export interface MadeCall {
  readonly action: ModelCallAction;
  /** At the turn that decided the call. */
  readonly chain: Chain;
  readonly agent: AgentSnapshot;
  /** Null while it runs. */
  readonly end: CallEnd | null;
}

/** Lists the calls in order. Each is rebuilt on demand: its request is as long as the chain. */
function* listModelCalls(turns: readonly RecordedTurn[], sha256: Sha256): Generator<MadeCall, void> {
  const ends = new Map(turns.flatMap(({ facts }) => facts.flatMap(listEnds)));
  let chain: Chain = { ...emptyRecord, state: emptyState };
  for (const turn of turns) {
    const folded = foldRecordedTurns([turn], chain, sha256);
    chain = folded.chain;
    for (const action of folded.turns.flatMap(({ actions }) => actions)) {
      const { agent } = chain.state;
      if (action.type === 'callModel' && agent !== null)
        yield { action, chain, agent, end: ends.get(action.call) ?? null };
    }
  }
}

function listEnds(fact: Fact): readonly (readonly [string, CallEnd])[] {
  switch (fact.type) {
    case 'modelReplied':
    case 'modelFailed':
    case 'checkEnded':
      return [[fact.call, fact]];
    default:
      return [];
  }
}

export function rebuildPrompt({ action, chain, agent, end }: MadeCall, sha256: Sha256): Prompt {
  const { call, purpose, reservation } = action;
  const step = chain.state.steps + (purpose === 'step' ? 1 : 0);
  if (end?.type === 'checkEnded') return createMissingPrompt(chain, call, step, 'check_ended');
  const result = end?.type === 'modelReplied' ? end.reply : end?.type === 'modelFailed' ? end.failure : null;
  return createPrompt({ chain, agent, call, purpose, step, maxTokens: reservation.outputTokens }, result, sha256);
}

type PlacedCall = Pick<SentPrompt, 'call' | 'purpose' | 'step' | 'maxTokens'> & Pick<MadeCall, 'chain' | 'agent'>;

function createPrompt(
  { chain, agent: prepared, ...made }: PlacedCall,
  result: ModelReply | ModelFailure | null,
  sha256: Sha256,
): Prompt {
  const { chainId } = chain.state;
  const failed = result !== null && 'kind' in result;
  const reply = failed ? null : result;
  if (reply?.reusedPlan !== undefined) return createMissingPrompt(chain, made.call, made.step, 'plan_reused');
  // A running call of an agent with several models may go to another one.
  const used = selectModel(chain, result?.route?.model);
  const agent = used.state.agent ?? prepared;
  const request = renderRequest(used, agent, made.purpose);
  const digests = { sent: reply?.request ?? null, rebuilt: sha256(toCanonicalJson(request)) };
  return {
    kind: 'sent',
    chainId,
    ...made,
    provider: reply?.provider ?? null,
    model: agent.model.name,
    request,
    proof: digests.sent === null ? 'unproven' : digests.sent === digests.rebuilt ? 'proven' : 'differs',
    digests,
    failure: failed ? result.kind : null,
  };
}

function createMissingPrompt(
  { state: { chainId } }: Chain,
  call: string,
  step: number,
  reason: MissingPrompt['reason'],
): MissingPrompt {
  return { kind: 'missing', chainId, call, step, reason };
}
