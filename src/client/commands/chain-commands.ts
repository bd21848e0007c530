/**
 * Commands of people to a running chain. An accepted command is a fact of the chain, with sender, time and reason; a
 * rejected command leaves no trace.
 */

import { randomUUID } from 'node:crypto';
import { messageNames } from '../../contract/index.js';
import type { OpenRequest } from '../../core/engine/index.js';
import { type Json, LonghandError, shorten } from '../../core/lib/index.js';
import { type Breakpoint, defaults } from '../../core/model/index.js';
import { type LimitOptions, parseLimitOptions } from '../../options/index.js';
import { CommandRejectedError } from '../errors/errors.js';
import { type CommandReceipt, type CommandTarget, checkBytes, isNotRunning, sendCommand } from './send-command.js';

/** Sender of a command. Callers with the server's credentials are trusted to name it. */
export interface Sender {
  /** Name of the sender. Default: no name, which some requests reject. */
  readonly by?: string | undefined;
  /** Roles of the sender, for requests and agents that require a role. Default: none. */
  readonly roles?: readonly string[] | undefined;
  /** Reason, in one sentence. The model sees the reason of a denial. */
  readonly reason?: string | undefined;
}

export interface DecideOptions extends Sender {
  /** Digest of the request that was read. The command is rejected if the request has changed. Default: not checked. */
  readonly digest?: string | undefined;
  /**
   * Id of the decision. The chain rejects a second one with it as `duplicate`, among its last 128 commands. Default: a new one.
   */
  readonly id?: string | undefined;
}

export interface ApproveOptions extends DecideOptions {
  /** Changed arguments for the call. They must match the tool's schema; readers see both versions. */
  readonly input?: Json | undefined;
  /** Whether to approve all later calls of this tool in this chain. Default false. */
  readonly always?: boolean | undefined;
}

export interface ResolveOutcomeOptions extends DecideOptions {
  /** With `happened`: the call's observation for the model. Default: only that it happened. */
  readonly observation?: Json | undefined;
}

export interface PauseOptions extends Sender {
  /**
   * Where to pause: before a step, at a cost in US dollars, or before calls of a tool, which then require approval.
   * Default: now.
   */
  readonly at?: Breakpoint | undefined;
}

export interface ResumeOptions extends Sender {
  /** Call whose wait ends, such as `3.1`. Default: none; the chain is resumed. */
  readonly call?: string | undefined;
}

export interface SignalOptions extends Sender {
  /**
   * Id of the signal, such as that of a build or of a webhook's delivery. The chain takes an id once, however often it
   * arrives, among its last 128 commands. Default: a new one.
   */
  readonly id?: string | undefined;
}

/**
 * Commands to a chain. Each throws `CommandRejectedError` when the chain rejects it or has ended, and
 * `ChainNotFoundError`.
 */
export interface ChainCommands {
  /** Lists the open requests, from the history: no worker is needed. @throws {ChainNotFoundError} */
  readonly listRequests: () => Promise<readonly OpenRequest[]>;
  /**
   * Approves a call: its tool runs.
   *
   * @example
   * const chain = longhand.getHandle('deploy-7');
   * const [request] = await chain.listRequests();
   * if (request) await chain.approve(request.call, { digest: request.digest, by: 'ann' });
   */
  readonly approve: (call: string, options?: ApproveOptions) => Promise<CommandReceipt>;
  /**
   * Denies a call, or leaves a question unanswered. The model sees the denial with its reason, and the chain continues.
   */
  readonly deny: (call: string, options?: DecideOptions) => Promise<CommandReceipt>;
  /**
   * Answers a question, or a call that awaits approval: the answer replaces the tool's result, and the tool does not
   * run.
   */
  readonly answer: (call: string, answer: Json, options?: DecideOptions) => Promise<CommandReceipt>;
  /**
   * Resolves a call with an unknown outcome: it happened, it did not happen and runs again, or unknown: the chain ends.
   */
  readonly resolveOutcome: (
    call: string,
    outcome: 'happened' | 'not_happened' | 'give_up',
    options?: ResolveOutcomeOptions,
  ) => Promise<CommandReceipt>;
  /**
   * Sends the model a message, at its next step. @example await chain.steer('Leave the database alone.', { by: 'ann' })
   */
  readonly steer: (text: string, options?: Sender) => Promise<CommandReceipt>;
  /** Pauses the chain, now or at a breakpoint. @example await chain.pause({ at: { tool: 'git_push' }, by: 'ann' }) */
  readonly pause: (options?: PauseOptions) => Promise<CommandReceipt>;
  /**
   * Resumes a paused chain, or lets a held chain try again immediately. With `call`, ends the wait of that call of a tool
   * `wait()`, and resumes nothing else.
   *
   * @example
   * await chain.resume({ by: 'ann' })
   */
  readonly resume: (options?: ResumeOptions) => Promise<CommandReceipt>;
  /**
   * Raises the named limits, in the units of `defineAgent`.
   *
   * @example
   * await chain.raiseLimits({ steps: 40, time: '30m' }, { by: 'ann' })
   */
  readonly raiseLimits: (limits: LimitOptions, options?: Sender) => Promise<CommandReceipt>;
  /**
   * Sends a signal: it ends the wait of a call for this name, which returns the data to the model, or is kept until a call
   * waits for it. For a tool `wait()`. With an `id`, it may be sent again: the chain takes it once.
   *
   * @example
   * await chain.signal('build-done', { status: 'green' }, { by: 'ci', id: 'build-731' })
   */
  readonly signal: (name: string, data?: Json, options?: SignalOptions) => Promise<CommandReceipt>;
  /**
   * Cancels the chain: it ends as `cancelled`. Returns once the server has stored the command; a chain that has ended
   * stays unchanged. A second cancel does not wait for running calls.
   *
   * @throws {ChainNotFoundError}
   * @throws {CommandRejectedError} when the agent does not permit it to these roles
   */
  readonly cancel: (options?: CancelOptions) => Promise<CancelReceipt>;
}

export function createChainCommands(target: CommandTarget, requests: ChainCommands['listRequests']): ChainCommands {
  const send = (name: keyof typeof messageNames, members: object) => sendCommand(target, messageNames[name], members);
  const decide = (name: keyof typeof messageNames, members: object, id: string | undefined) => {
    if (id !== undefined) checkCommandId(id, 'decision');
    return sendCommand(target, messageNames[name], members, id, id === undefined ? undefined : randomUUID());
  };
  const rejectLimits = (sentence: string) =>
    new CommandRejectedError(target.handle.workflowId, 'limit_invalid', sentence);
  return {
    listRequests: requests,
    approve: (call, { by, roles, reason, digest, id, input, always } = {}) =>
      decide('approve', { by, roles, reason, call, digest, input, always }, id),
    deny: (call, { by, roles, reason, digest, id } = {}) => decide('deny', { by, roles, reason, call, digest }, id),
    answer: (call, answer, { by, roles, reason, digest, id } = {}) =>
      decide('answer', { by, roles, reason, call, answer, digest }, id),
    resolveOutcome: (call, outcome, { by, roles, reason, digest, id, observation } = {}) =>
      decide('outcome', { by, roles, reason, call, outcome, digest, observation }, id),
    steer: (text, { by, roles, reason } = {}) => send('steer', { by, roles, reason, text }),
    pause: ({ by, roles, reason, at } = {}) => send('pause', { by, roles, reason, at }),
    resume: ({ by, roles, reason, call } = {}) => send('resume', { by, roles, reason, call }),
    raiseLimits: async (limits, { by, roles, reason } = {}) =>
      send('limit', { by, roles, reason, limits: parseLimitOptions(limits, rejectLimits) }),
    signal: (name, data = null, options = {}) => sendSignal(target, name, data, options),
    cancel: (options = {}) => cancelChain(target, options),
  };
}

/**
 * Sends a signal. A sender that repeats one with its id wants it to arrive once, so a second delivery succeeds.
 *
 * @throws {LonghandError} `invalid_options` for an id that the chain would not compare as it is
 * @throws {CommandRejectedError} `too_long`
 */
async function sendSignal(
  target: CommandTarget,
  name: string,
  data: Json,
  { by, roles, reason, id }: SignalOptions,
): Promise<CommandReceipt> {
  if (id !== undefined) checkCommandId(id, 'signal');
  checkBytes(target.handle.workflowId, `The data of signal ${shorten(name, 120)} are`, data, defaults.signalBytes);
  try {
    return await sendCommand(target, messageNames.signal, { by, roles, reason, name, data }, id);
  } catch (error) {
    const isRepeated = error instanceof CommandRejectedError && error.rejection === 'duplicate';
    if (id === undefined || !isRepeated) throw error;
    return { id, status: 'accepted' };
  }
}

const maxIdLength = 200;

/** @throws {LonghandError} `invalid_options` for an id that the chain would not compare as it is */
function checkCommandId(id: string, what: string): void {
  if (id.trim() === id && id !== '' && id.length <= maxIdLength) return;
  const fix = `Use 1 to ${maxIdLength} characters, without spaces at its ends.`;
  throw new LonghandError('invalid_options', `Invalid id of a ${what} ${JSON.stringify(shorten(id, 250))}. ${fix}`);
}

export interface CancelOptions {
  /** Name of the sender; the chain's stop reason contains it. */
  readonly by?: string | undefined;
  /** Roles of the sender, for agents that permit cancel to some roles only. */
  readonly roles?: readonly string[] | undefined;
  readonly reason?: string | undefined;
  /** Whether one more model call summarizes the findings. Default false. */
  readonly summarize?: boolean | undefined;
}

/** `ended`: the chain had ended before. */
export type CancelReceipt = CommandReceipt | { readonly id: null; readonly status: 'ended' };

/**
 * Cancels a chain: first the command with sender and reason, then Temporal's cancel, so that the workflow closes as
 * Canceled.
 */
async function cancelChain(
  target: CommandTarget,
  { by, roles, reason, summarize }: CancelOptions,
): Promise<CancelReceipt> {
  try {
    const receipt = await sendCommand(target, messageNames.cancel, { by, roles, reason, summarize });
    await cancelInTemporal(target);
    return receipt;
  } catch (error) {
    if (error instanceof CommandRejectedError && error.rejection === 'chain_ended')
      return { id: null, status: 'ended' };
    throw error;
  }
}

/** Ignores a chain that has ended by now. */
async function cancelInTemporal({ handle }: CommandTarget): Promise<void> {
  try {
    await handle.cancel();
  } catch (error) {
    if (!isNotRunning(error)) throw error;
  }
}
