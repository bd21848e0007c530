/** A tool that nobody runs: the chain waits, and what a person answers is the observation. */

import { z } from 'zod';
import { checkMembers, checkNonEmptyText } from '../../core/lib/check-value.js';
import type { ApprovalOptions } from '../approval/approval.js';
import { approvalOptionChecks, validateTimes } from '../approval/check-approval.js';
import { toRequestRules } from '../approval/combine-approvals.js';
import { defineTool, type Tool } from '../define/define-tool.js';
import { NotDone } from '../define/errors.js';

export interface AskUserOptions extends Pick<ApprovalOptions, 'roles' | 'byRequester' | 'expires' | 'escalate'> {
  /** Default `ask_user`. */
  readonly name?: string | undefined;
  /** For the model: when to ask. */
  readonly description?: string | undefined;
}

const defaultDescription =
  'Asks the user for what you need to know and no other tool can tell you: what they want where the task leaves it open, or a choice that is theirs to make. Ask one short question, with `options` where there are few answers. The user may take long to answer: do not ask what you can find out.';

const optionsCheck = checkMembers<AskUserOptions>({
  name: () => null,
  description: checkNonEmptyText,
  roles: approvalOptionChecks.roles,
  byRequester: approvalOptionChecks.byRequester,
  expires: approvalOptionChecks.expires,
  escalate: approvalOptionChecks.escalate,
});

/**
 * A tool with which the model asks a person. The chain waits for the answer without a worker; where none comes in time
 * (7 days), the model is told so and goes on.
 *
 * @throws {TypeError} saying what to write instead
 * @example
 * defineAgent({ name: 'planner', tools: [askUser({ expires: '2 days' })], … })
 */
export function askUser(options: AskUserOptions = {}): Tool {
  const wrong = optionsCheck(options, '') ?? validateTimes(options, '')?.replace(/^\./, '') ?? null;
  if (wrong !== null) throw new TypeError(`askUser: ${wrong}.`);
  const { name = 'ask_user', description = defaultDescription, ...rules } = options;
  const tool = defineTool({
    name,
    description,
    inputSchema: z.object({
      question: z.string().min(1).describe('One question, as the user will read it'),
      options: z.array(z.string()).optional().describe('Answers to choose from, where there are few'),
    }),
    returns: 'what the user answers',
    effects: 'read',
    // The same words, asked later, may have another answer.
    volatile: true,
    execute: () => {
      throw new NotDone('Questions are for people to answer; nobody runs them.');
    },
  });
  const question = toRequestRules(rules, { effects: 'read' }, 'The agent asks.');
  return { ...tool, snapshot: { ...tool.snapshot, question } };
}
