/**
 * What people do to a running chain. Each is a fact in its history, with who, when and why; what cannot be taken is
 * refused with a sentence that says why, and leaves no trace.
 */

import { messageNames } from '../../contract/names.js';
import type { Json } from '../../core/lib/json.js';
import type { Breakpoint } from '../../core/model/command.js';
import type { PartialLimits } from '../../core/model/limits.js';
import { CommandRejectedError } from '../errors/errors.js';
import type { OpenRequest } from '../read/open-requests.js';
import { type CommandReceipt, type CommandTarget, isNotRunning, sendCommand } from './send-command.js';

/** Who holds the server's credentials is trusted to say who speaks. */
export interface Sender {
  /** Who says it. Default: nobody in particular, which not every request takes. */
  readonly by?: string | undefined;
  /** Roles of who says it, for requests and agents that let only some decide. Default: none. */
  readonly roles?: readonly string[] | undefined;
  /** Why, in a sentence; of a denial the model is told it. */
  readonly reason?: string | undefined;
}

export interface DecideOptions extends Sender {
  /** Of the request that was read: refused if another stands there now. Default: whatever stands there. */
  readonly digest?: string | undefined;
}

export interface ApproveOptions extends DecideOptions {
  /** Arguments to run it with instead. They must fit the tool's schema; readers are shown both. */
  readonly input?: Json | undefined;
  /** Whether all later calls of this tool in this chain are approved with it. Default false. */
  readonly always?: boolean | undefined;
}

export interface ResolveOutcomeOptions extends DecideOptions {
  /** With `happened`: what came of it, for the model. Default: that it happened. */
  readonly observation?: Json | undefined;
}

export interface PauseOptions extends Sender {
  /** Before a step, once it has cost so many US dollars, or before calls of a tool, which then wait for approval. Default: now. */
  readonly at?: Breakpoint | undefined;
}

/** All of these throw `CommandRejectedError` for what the chain does not take or once it has ended, and `ChainNotFoundError`. */
export interface ChainCommands {
  /** What waits for a person now, read from the history: no worker is needed. @throws {ChainNotFoundError} */
  readonly listRequests: () => Promise<readonly OpenRequest[]>;
  /**
   * Lets a call run.
   *
   * @example
   * const chain = longhand.chain('deploy-7');
   * const [request] = await chain.requests();
   * if (request) await chain.approve(request.call, { digest: request.digest, by: 'ann' });
   */
  readonly approve: (call: string, options?: ApproveOptions) => Promise<CommandReceipt>;
  /** Does not let it run, or leaves a question unanswered. The model is told, with the reason, and goes on. */
  readonly deny: (call: string, options?: DecideOptions) => Promise<CommandReceipt>;
  /** Answers a question, or a call that waits for approval in its tool's stead, which is then not run. */
  readonly answer: (call: string, answer: Json, options?: DecideOptions) => Promise<CommandReceipt>;
  /** Says of a call in doubt that it happened, that it did not (it is run again), or that nobody can tell: the chain ends. */
  readonly resolveOutcome: (
    call: string,
    outcome: 'happened' | 'not_happened' | 'give_up',
    options?: ResolveOutcomeOptions,
  ) => Promise<CommandReceipt>;
  /** Tells the model something, at its next step. @example await chain.steer('Leave the database alone.', { by: 'ann' }) */
  readonly steer: (text: string, options?: Sender) => Promise<CommandReceipt>;
  /** @example await chain.pause({ at: { tool: 'git_push' }, by: 'ann' }) */
  readonly pause: (options?: PauseOptions) => Promise<CommandReceipt>;
  readonly resume: (options?: Sender) => Promise<CommandReceipt>;
  /** Raises limits: those that are named, in the units of `defineAgent`. @example await chain.limit({ steps: 40 }, { by: 'ann' }) */
  readonly raiseLimits: (limits: PartialLimits, options?: Sender) => Promise<CommandReceipt>;
  /**
   * Asks the chain to end as `cancelled`. Returns when the wish is safe with the server; a chain that has ended is left
   * as it is. A second time does not wait for what is running.
   *
   * @throws {ChainNotFoundError}
   * @throws {CommandRejectedError} when the agent does not let these roles
   */
  readonly cancel: (options?: CancelOptions) => Promise<CancelReceipt>;
}

export function createChainCommands(told: CommandTarget, requests: ChainCommands['listRequests']): ChainCommands {
  const say = (name: keyof typeof messageNames, said: object) => sendCommand(told, messageNames[name], said);
  return {
    listRequests: requests,
    approve: (call, { by, roles, reason, digest, input, always } = {}) =>
      say('approve', { by, roles, reason, call, digest, input, always }),
    deny: (call, { by, roles, reason, digest } = {}) => say('deny', { by, roles, reason, call, digest }),
    answer: (call, answer, { by, roles, reason, digest } = {}) =>
      say('answer', { by, roles, reason, call, answer, digest }),
    resolveOutcome: (call, outcome, { by, roles, reason, digest, observation } = {}) =>
      say('outcome', { by, roles, reason, call, outcome, digest, observation }),
    steer: (text, { by, roles, reason } = {}) => say('steer', { by, roles, reason, text }),
    pause: ({ by, roles, reason, at } = {}) => say('pause', { by, roles, reason, at }),
    resume: ({ by, roles, reason } = {}) => say('resume', { by, roles, reason }),
    raiseLimits: (limits, { by, roles, reason } = {}) => say('limit', { by, roles, reason, limits }),
    cancel: (options = {}) => cancelChain(told, options),
  };
}

export interface CancelOptions {
  /** Who wants it; the chain's reason names them. */
  readonly by?: string | undefined;
  /** Roles of who wants it, where the agent lets only some cancel. */
  readonly roles?: readonly string[] | undefined;
  readonly reason?: string | undefined;
  /** Whether the model is asked once more, to sum up what was found. Default false. */
  readonly summarize?: boolean | undefined;
}

/** `ended`: there was nothing left to cancel. */
export type CancelReceipt = CommandReceipt | { readonly id: null; readonly status: 'ended' };

/** Ends a chain: the wish first, with who and why, then Temporal's own cancel, which makes the close say Canceled. */
async function cancelChain(
  told: CommandTarget,
  { by, roles, reason, summarize }: CancelOptions,
): Promise<CancelReceipt> {
  try {
    const receipt = await sendCommand(told, messageNames.cancel, { by, roles, reason, summarize });
    await cancelInTemporal(told);
    return receipt;
  } catch (error) {
    if (error instanceof CommandRejectedError && error.rejection === 'chain_ended')
      return { id: null, status: 'ended' };
    throw error;
  }
}

/** A chain that had little to stop has ended by now. */
async function cancelInTemporal({ handle }: CommandTarget): Promise<void> {
  try {
    await handle.cancel();
  } catch (error) {
    if (!isNotRunning(error)) throw error;
  }
}
