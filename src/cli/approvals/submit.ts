/**
 * Submits a decision to a chain and reports the result. One of several approvals is a vote: the call still waits. A
 * rejected decision is reported with a fix.
 */

import { type CancelReceipt, type ChainHandle, type CommandReceipt, CommandRejectedError } from '../../client/index.js';
import { formatRoleFlag, type OpenRequest } from '../../core/engine/index.js';
import { toOneLine } from '../../core/lib/index.js';
import { getColors } from '../terminal/colors.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import { doneTexts, type IdentifiedSender, type PersonDecision, pendingTexts, sendDecision } from './decision.js';
import { explainClosedCall } from './resolve-target.js';

export interface SubmitResult {
  readonly receipt: CommandReceipt;
  /** Whether the call still waits; null while no worker has taken the decision. */
  readonly open: boolean | null;
  readonly doneText: string;
  readonly pendingText: string;
}

/** The call to decide, with its open request if it has one. */
interface Submission {
  readonly call: string;
  readonly digest?: string | undefined;
  readonly request: OpenRequest | undefined;
}

/** @throws CommandRejectedError */
export async function submitDecision(
  chain: ChainHandle,
  submission: Submission,
  decision: PersonDecision,
  sender: IdentifiedSender,
): Promise<SubmitResult> {
  const { call, request } = submission;
  const receipt = await sendDecision(chain, submission, decision, sender).catch(async (error: unknown) => {
    throw error instanceof CommandRejectedError ? await explainRejection(error, chain, submission, sender) : error;
  });
  const unanswered = decision.kind === 'deny' && request?.kind === 'question';
  const about = {
    receipt,
    pendingText: unanswered ? `leave call ${call} unanswered` : `${pendingTexts[decision.kind]} call ${call}`,
    doneText: unanswered ? `Left call ${call} unanswered` : `${doneTexts[decision.kind]} call ${call}`,
  };
  if (receipt.status === 'sent') return { ...about, open: null };
  // Only approvals can need several.
  const after =
    decision.kind === 'approve' ? (await chain.listRequests()).find((open) => open.call === call) : undefined;
  return after === undefined ? { ...about, open: false } : { ...about, open: true, doneText: formatVotes(after) };
}

function formatVotes({ call, votes, approvers, roles }: OpenRequest): string {
  const left = approvers - votes.length;
  const people = left === 1 ? 'one more' : `${left} more`;
  const ofRoles = roles.length === 0 ? '' : ` of ${roles.join(' or ')}`;
  return `${votes.length} of ${approvers} have approved call ${call}; ${people}${ofRoles} must approve it`;
}

async function explainRejection(
  error: CommandRejectedError,
  chain: ChainHandle,
  { call, request }: Submission,
  sender: IdentifiedSender,
): Promise<CommandRejectedError> {
  if (request !== undefined) return addRoleHint(error, request.roles, sender);
  const why = await explainClosedCall(chain, call);
  if (why === null) return error;
  return new CommandRejectedError(
    chain.chainId,
    error.rejection,
    error.rejection === 'chain_ended' ? `${error.message} ${why}` : why,
  );
}

/**
 * Adds the flag that names a role, if the sender has none of the roles that may decide.
 *
 * @param accepted roles of which any one is enough; empty if every person may decide
 */
export function addRoleHint(
  error: CommandRejectedError,
  accepted: readonly string[],
  { roles }: Pick<IdentifiedSender, 'roles'>,
): CommandRejectedError {
  if (accepted.length === 0 || accepted.some((role) => roles.includes(role))) return error;
  return new CommandRejectedError(
    error.chainId,
    error.rejection,
    `${error.message} If you have the role, add${formatRoleFlag(accepted)}.`,
  );
}

export interface CommandReport {
  readonly chainId: string;
  /** The decided call; null for a command to the chain. */
  readonly call: string | null;
  /** Text of a command that a worker has taken: `Approved call 3.1`. */
  readonly doneText: string;
  /** Text of a command that no worker has taken yet: `approve call 3.1`. */
  readonly pendingText: string;
  /** Whether the call still waits for other people; null if not known yet. */
  readonly open?: boolean | null;
  readonly json: boolean | undefined;
}

/** Writes the result of a command. Returns the exit code: 0 as soon as the server has the command. */
export function writeReceipt(
  terminal: Terminal,
  { chainId, call, doneText, pendingText, open, json }: CommandReport,
  receipt: CancelReceipt,
): number {
  if (json) {
    terminal.write(formatJson({ chainId, ...(call === null ? {} : { call, open }), ...receipt }));
    return 0;
  }
  const c = getColors(terminal);
  const mark = { accepted: c.green('✓ '), sent: c.yellow('… '), ended: '' }[receipt.status];
  terminal.write(`${mark}${formatReceipt(receipt, { chainId, doneText, pendingText })}\n`);
  return 0;
}

export function formatReceipt(
  { status }: CancelReceipt,
  { chainId, doneText, pendingText }: Pick<CommandReport, 'chainId' | 'doneText' | 'pendingText'>,
): string {
  switch (status) {
    case 'accepted':
      return `${toOneLine(doneText)} · ${toOneLine(chainId)}`;
    case 'sent':
      return `Sent: ${toOneLine(pendingText)} · ${toOneLine(chainId)}\n  No worker has accepted it yet. The server keeps it until a worker does.`;
    case 'ended':
      return `${toOneLine(chainId)} has already ended.`;
  }
}
