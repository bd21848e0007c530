/**
 * Submits a decision to a chain and reports the result. One of several approvals is a vote: the call waits on. A refusal is
 * reported with what the person can do about it.
 */

import type { CancelReceipt } from '../../client/commands/chain-commands.js';
import type { CommandReceipt } from '../../client/commands/send-command.js';
import { CommandRejectedError } from '../../client/errors/errors.js';
import type { ChainHandle } from '../../client/handle.js';
import type { OpenRequest } from '../../client/read/open-requests.js';
import { toOneLine } from '../../core/lib/plain-text.js';
import { formatRoleFlag } from '../../core/state/decision-text.js';
import { colorsFor } from '../terminal/colors.js';
import { jsonLine, type Terminal } from '../terminal/terminal.js';
import { type Decision, done, type NamedSpeaker, sendDecision, wish } from './decision.js';
import { explainClosed } from './resolve-target.js';

export interface Submitted {
  readonly receipt: CommandReceipt;
  /** Whether the call waits on; null where no worker has taken the decision yet. */
  readonly open: boolean | null;
  readonly done: string;
  readonly wish: string;
}

/** The call that is decided, with its open request as far as there is one. */
interface Submission {
  readonly call: string;
  readonly digest?: string | undefined;
  readonly request: OpenRequest | undefined;
}

/** @throws RefusedError */
export async function submit(
  chain: ChainHandle,
  submission: Submission,
  decision: Decision,
  speaker: NamedSpeaker,
): Promise<Submitted> {
  const { call, request } = submission;
  const receipt = await sendDecision(chain, submission, decision, speaker).catch(async (error: unknown) => {
    throw error instanceof CommandRejectedError ? await explainRefusal(error, chain, submission, speaker) : error;
  });
  const unanswered = decision.kind === 'deny' && request?.kind === 'question';
  const about = {
    receipt,
    wish: unanswered ? `leave call ${call} unanswered` : `${wish[decision.kind]} call ${call}`,
    done: unanswered ? `Left call ${call} unanswered` : `${done[decision.kind]} call ${call}`,
  };
  if (receipt.status === 'sent') return { ...about, open: null };
  // Only approvals can need several.
  const after =
    decision.kind === 'approve' ? (await chain.listRequests()).find((each) => each.call === call) : undefined;
  return after === undefined ? { ...about, open: false } : { ...about, open: true, done: voteText(after) };
}

function voteText({ call, votes, approvers, roles }: OpenRequest): string {
  const left = approvers - votes.length;
  const people = left === 1 ? 'one more' : `${left} more`;
  const of = roles.length === 0 ? '' : ` of ${roles.join(' or ')}`;
  return `${votes.length} of ${approvers} have approved call ${call}; ${people}${of} ${left === 1 ? 'has' : 'have'} to`;
}

async function explainRefusal(
  error: CommandRejectedError,
  chain: ChainHandle,
  { call, request }: Submission,
  speaker: NamedSpeaker,
): Promise<CommandRejectedError> {
  if (request !== undefined) return withRoleHint(error, request.roles, speaker);
  const why = await explainClosed(chain, call);
  if (why === null) return error;
  return new CommandRejectedError(chain.chainId, error.why, error.why === 'ended' ? `${error.message} ${why}` : why);
}

/**
 * Adds how to name a role, where the speaker has none of those that may decide.
 *
 * @param wanted roles of which any one is enough; empty where everybody may decide
 */
export function withRoleHint(
  error: CommandRejectedError,
  wanted: readonly string[],
  { roles }: Pick<NamedSpeaker, 'roles'>,
): CommandRejectedError {
  if (wanted.length === 0 || wanted.some((role) => roles.includes(role))) return error;
  return new CommandRejectedError(error.chainId, error.why, `${error.message} With it:${formatRoleFlag(wanted)}.`);
}

export interface Report {
  readonly chainId: string;
  /** The call that was decided; null for a command to the whole chain. */
  readonly call: string | null;
  /** What was done, for the person: `Approved call 3.1`. */
  readonly done: string;
  /** The same where no worker has done it yet: `approve call 3.1`. */
  readonly wish: string;
  /** Of a call: whether it waits on, for others; null where that is not known yet. */
  readonly open?: boolean | null;
  readonly json: boolean | undefined;
}

/** Returns the exit code: 0 as soon as the server has the command. */
export function writeReceipt(
  terminal: Terminal,
  { chainId, call, done, wish, open, json }: Report,
  receipt: CancelReceipt,
): number {
  if (json) {
    terminal.write(jsonLine({ chainId, ...(call === null ? {} : { call, open }), ...receipt }));
    return 0;
  }
  const c = colorsFor(terminal);
  const mark = { taken: c.green('✓ '), sent: c.yellow('… '), ended: '' }[receipt.status];
  terminal.write(`${mark}${receiptText(receipt, { chainId, done, wish })}\n`);
  return 0;
}

export function receiptText(
  { status }: CancelReceipt,
  { chainId, done, wish }: Pick<Report, 'chainId' | 'done' | 'wish'>,
): string {
  switch (status) {
    case 'taken':
      return `${toOneLine(done)} · ${toOneLine(chainId)}`;
    case 'sent':
      return `Sent: ${toOneLine(wish)} · ${toOneLine(chainId)}\n  No worker has taken it yet. The server keeps it for the first that does.`;
    case 'ended':
      return `${toOneLine(chainId)} has ended already.`;
  }
}
