/**
 * What became of a request to a person, in one line: of the call no more than the name of its tool, and of a question its
 * words, which are for people to read.
 */

import { approvalsOf, questionIn } from '../model/ask.js';
import type { ApprovalStatus, ApprovalStep } from './reasoning.js';

export function sayApproval({ request, tool, input, status, decisions }: ApprovalStep): string {
  const last = decisions.at(-1);
  // Of several who approved, all did.
  const decided = last?.what === 'approved' ? approvalsOf(decisions) : decisions.slice(-1);
  const people = decided.flatMap(({ by }) => by ?? []);
  const who = people.length === 0 ? null : people.join(' and ');
  const said = { who: who ?? 'A person', by: who === null ? '' : ` by ${who}`, tool };
  switch (request) {
    case 'approval': {
      const changed = decisions.some(({ input }) => input !== undefined) ? ' with other arguments' : '';
      return ofApproval(status, { ...said, changed });
    }
    case 'outcome':
      return ofOutcome(status, said);
    case 'question':
      return ofQuestion(status, { ...said, question: questionIn(input) });
  }
}

interface Said {
  readonly who: string;
  readonly by: string;
  readonly tool: string;
}

function ofApproval(status: ApprovalStatus, { who, by, tool, changed }: Said & { readonly changed: string }): string {
  switch (status) {
    case 'waiting':
      return `Waiting for approval of ${tool}`;
    case 'approved':
      return `${tool} was approved${changed}${by}`;
    case 'denied':
      return `${tool} was denied${by}`;
    case 'answered':
      return `${who} answered instead of ${tool}`;
    case 'expired':
      return `Nobody decided on ${tool} in time`;
    default:
      return `Nobody decided on ${tool} before the chain ended`;
  }
}

function ofOutcome(status: ApprovalStatus, { who, tool }: Said): string {
  switch (status) {
    case 'waiting':
      return `Waiting to be told whether ${tool} was done`;
    case 'happened':
      return `${who} said that ${tool} was done`;
    case 'not_happened':
      return `${who} said that ${tool} was not done`;
    case 'expired':
      return `Nobody said in time whether ${tool} was done`;
    default:
      return `Nobody could tell whether ${tool} was done`;
  }
}

function ofQuestion(
  status: ApprovalStatus,
  { who, tool, question }: Said & { readonly question: string | null },
): string {
  switch (status) {
    case 'waiting':
      return question === null ? `Waiting for an answer to ${tool}` : `Waiting for an answer: ${question}`;
    case 'answered':
      return `${who} answered ${tool}`;
    case 'denied':
      return `${who} did not want to answer ${tool}`;
    case 'expired':
      return `Nobody answered ${tool} in time`;
    default:
      return `Nobody answered ${tool} before the chain ended`;
  }
}
