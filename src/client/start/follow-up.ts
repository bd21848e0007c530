/** Creates the start of a follow-up: a new chain that continues a conversation after the end of another chain. */

import {
  defaults,
  type EarlierMessages,
  findThreadId,
  getThreadNumber,
  mergeDataClasses,
  type ThreadRef,
  toDataClasses,
  toThreadChainId,
} from '../../core/model/index.js';
import type { RecordedChain } from '../../core/record/index.js';
import { collectEarlier, toReasoning } from '../../core/view/index.js';
import { fromStoredLimits } from '../../options/index.js';
import { ChainRunningError, InvalidInputError } from '../errors/errors.js';
import type { OwnedChain } from '../read/thread.js';
import { inheritRequester } from './inherit-requester.js';
import type { StartOptions } from './start-options.js';

/**
 * Options of a follow-up. Those of its chain that are omitted are those of the chain that it follows.
 *
 * A program that serves several tenants passes `tenant`: the follow-up of another tenant's chain is then rejected. With a
 * `chainId`, such as the id of the user's message, a message that is sent twice has one chain.
 */
export interface FollowUpOptions extends Omit<StartOptions, 'messages' | 'ifExists'> {
  /**
   * Whether it follows exactly this chain, also where the thread has later ones: the thread then has a branch. For a message
   * that replaces an earlier one. Default false: it follows the last chain.
   */
  readonly branch?: boolean | undefined;
  /**
   * What happens when the thread has a chain with the own `chainId`: `join` returns it, `error` throws `ChainExistsError`, for
   * a caller that compares the two messages. Default `join`.
   */
  readonly ifExists?: 'join' | 'error' | undefined;
  /**
   * Which chains of the thread may be followed, for a program whose callers see only some of them. Default: all. It follows
   * the last of these; the others are omitted, as if they did not exist.
   */
  readonly reaches?: ((chain: OwnedChain) => boolean) | undefined;
}

export interface FollowUpStart {
  readonly agent: string;
  readonly task: string;
  readonly earlier: EarlierMessages;
  readonly thread: ThreadRef;
  /** The id of the new chain. */
  readonly chainId: string;
  readonly options: Omit<StartOptions, 'chainId'>;
}

/**
 * Creates the start of a follow-up. Tenant, user, model and limits default to those of the chain that it follows, and so do
 * the roles of the same user.
 *
 * @param last the last chain of the thread
 * @param nextId a free id
 * @throws {ChainRunningError} while that chain runs
 * @throws {InvalidInputError} for a sub-chain
 */
export function createFollowUpStart(
  last: RecordedChain,
  text: string,
  { chainId: ownId, branch: _, reaches: __, ifExists: ___, ...options }: FollowUpOptions,
  nextId?: string,
): FollowUpStart {
  const { chainId, chain, closed } = last;
  const { input } = chain.state;
  const id = findThreadId({ chainId, input });
  if (input === null) throw new InvalidInputError(`The start of chain ${chainId} is unreadable. Start a new chain.`);
  if (id === null)
    throw new InvalidInputError(
      `Chain ${chainId} is a sub-chain: its answer went to the chain that called it. Follow up on that chain, or fork this one.`,
    );
  if (closed === null) throw new ChainRunningError(chainId);
  const number = getThreadNumber(input) + 1;
  return {
    agent: input.agent,
    task: text,
    earlier: collectEarlier(chain, toReasoning(last)),
    thread: { id, number, follows: chainId },
    chainId: ownId ?? checkUsualId(nextId ?? toThreadChainId(id, number)),
    options: {
      ...options,
      model: options.model ?? input.model ?? undefined,
      // The earlier messages contain what the chain has read.
      dataClass: mergeDataClasses(chain.state.dataClasses, toDataClasses(options.dataClass)),
      limits: { ...fromStoredLimits(input.limits), ...options.limits },
      ...inheritRequester(options, input),
    },
  };
}

/** The caller did not choose the id of the follow-up. */
function checkUsualId(chainId: string): string {
  const bytes = Buffer.byteLength(chainId);
  if (bytes <= defaults.chainIdBytes) return chainId;
  throw new InvalidInputError(
    `The follow-up would have the id ${chainId}, which has ${bytes} bytes; the limit is ${defaults.chainIdBytes}. Pass a shorter one (\`chainId\`, \`--id\`).`,
  );
}
