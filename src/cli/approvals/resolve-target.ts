/** Finds the chain and the call of a command, or explains why no call can be decided. */

import { type ChainHandle, type Longhand, listSubChainRequests } from '../../client/index.js';
import { formatCallNotFound, listOpenRequests, type OpenRequest } from '../../core/engine/index.js';
import { formatTime, LonghandError } from '../../core/lib/index.js';
import { type Call, type CallRequest, type Decision, findDecision } from '../../core/model/index.js';
import { resolveChainId } from '../access/find-chain.js';
import { withServer } from '../access/open.js';
import { UsageError } from '../flags/usage-error.js';
import { formatWaitingRequest } from './format-request.js';

/** Opens the chain with this id or beginning of an id. */
export function withChain(
  named: string,
  use: (chain: ChainHandle, longhand: Longhand) => Promise<number>,
): Promise<number> {
  return withServer(async (connect) => {
    const longhand = await connect();
    return use(longhand.getHandle(await resolveChainId(longhand, named)), longhand);
  });
}

/**
 * Returns the chain, or its only waiting sub-chain if the chain itself does not wait.
 *
 * @throws UsageError when several sub-chains wait, with the command for each
 */
export async function findWaitingChain(
  chain: ChainHandle,
  { client, getHandle: handleOf }: Longhand,
): Promise<ChainHandle> {
  const { chainId } = chain;
  if ((await chain.listRequests()).length > 0) return chain;
  const below = await listSubChainRequests(client, chainId);
  const [only, ...others] = below;
  if (only === undefined) return chain;
  if (others.length === 0) return handleOf(only.chainId);
  const open = below.flatMap((each) => each.requests.map((request) => formatWaitingRequest(each.chainId, request)));
  throw new UsageError(`${below.length} sub-chains of ${chainId} wait:\n${open.join('\n')}`);
}

/** The requests that a command can decide. */
export interface DecisionTarget {
  readonly chainId: string;
  /** The name of the command. */
  readonly verb: string;
  readonly kinds: readonly OpenRequest['kind'][];
  /** Kinds that are used only if no request is of `kinds`. */
  readonly fallbackKinds?: readonly OpenRequest['kind'][];
}

/**
 * Returns the requests of the kinds that the command can decide.
 *
 * @param requests not empty
 * @throws LonghandError call_not_waiting
 */
export function filterRequests(
  requests: readonly OpenRequest[],
  { chainId, kinds, fallbackKinds = [] }: DecisionTarget,
): readonly OpenRequest[] {
  const ofKinds = (some: DecisionTarget['kinds']) => requests.filter(({ kind }) => some.includes(kind));
  const fit = [kinds, fallbackKinds].map(ofKinds).find((matches) => matches.length > 0);
  if (fit !== undefined) return fit;
  const open = requests.map((request) => formatWaitingRequest(chainId, request));
  throw new LonghandError('call_not_waiting', `No call of ${chainId} waits for this decision. ${open.join('\n')}`);
}

/** Returns the only request that fits. @throws LonghandError call_not_waiting, UsageError when several fit */
export function getOnlyRequest(requests: readonly OpenRequest[], target: DecisionTarget): OpenRequest {
  const fit = filterRequests(requests, target);
  const [only, ...others] = fit;
  if (only !== undefined && others.length === 0) return only;
  const { chainId, verb } = target;
  const named = fit.map(({ call, tool, kind }) => `${call} (${tool}, ${kind})`).join(', ');
  throw new UsageError(
    `Several calls of ${chainId} wait: ${named}. Name one: \`longhand ${verb} ${chainId} ${only?.call}\`.`,
  );
}

/** Explains why a call cannot be decided: who decided it, or when it expired. Null if the history does not contain it. */
export async function explainClosedCall(chain: ChainHandle, id: string): Promise<string | null> {
  const [read, { status }] = await Promise.all([chain.read(), chain.describe()]);
  const call = read.steps.flatMap(({ calls }) => calls).find((each) => each.id === id);
  if (call !== undefined) return formatClosedCall(call);
  if (status === 'ended') return `The chain had no call ${id}.`;
  const open = listOpenRequests(read.state, Date.now()).map((each) => each.call);
  return formatCallNotFound(id, open);
}

/** Explains why a chain has no open request, with the time if the last one expired. */
export async function explainNoRequests(chain: ChainHandle): Promise<string> {
  const [read, { status }] = await Promise.all([chain.read(), chain.describe()]);
  const lastAsking = read.steps.flatMap(({ calls }) => calls).findLast(({ requests }) => requests !== undefined);
  const over = lastAsking?.requests?.at(-1)?.decisions.at(-1)?.kind === 'expired' ? formatClosedCall(lastAsking) : null;
  const first =
    status === 'ended'
      ? `Chain ${chain.chainId} has ended and has no open request.`
      : `No call of ${chain.chainId} waits for a person.`;
  return over === null ? first : `${first} ${over}`;
}

function formatClosedCall({ id, requests = [] }: Call): string | null {
  const request = requests.at(-1);
  const last = findDecision(request?.decisions ?? []);
  if (request === undefined || last === null) return null;
  const at = formatTime(last.at);
  if (last.kind !== 'expired') {
    return `Call ${id} is already decided: ${last.by ?? 'a person'} ${decisionTexts[last.kind]} at ${at}.`;
  }
  return `The request of call ${id} expired at ${at}: ${formatExpiry(request)}.`;
}

function formatExpiry({ kind, rules }: CallRequest): string {
  if (kind === 'approval') return rules.onExpiry === 'approve' ? 'the call was approved' : 'the call was denied';
  return kind === 'question' ? 'the question was not answered' : 'the chain ended';
}

const decisionTexts: { readonly [what in Exclude<Decision['kind'], 'expired'>]: string } = {
  approved: 'approved it',
  denied: 'denied it',
  answered: 'answered it',
  happened: 'resolved it as happened',
  not_happened: 'resolved it as not happened',
  given_up: 'gave up',
};
