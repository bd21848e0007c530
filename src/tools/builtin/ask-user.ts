/** A tool without code: the chain waits, and a person's answer is the observation. */

import { z } from 'zod';
import { check } from '../../core/lib/index.js';
import {
  type ApprovalOptions,
  defineTool,
  NotDone,
  questionRuleChecks,
  type Tool,
  toRequestRules,
  validateTimes,
} from '../define/index.js';

export interface AskUserOptions extends Pick<ApprovalOptions, 'roles' | 'byRequester' | 'expires' | 'escalate'> {
  /** Default `ask_user`. */
  readonly name?: string | undefined;
  /** For the model: when to call the tool. */
  readonly description?: string | undefined;
}

const defaultDescription =
  'Asks the user a question. Use it for what no other tool can find out: what the user wants where the task is unclear, or a choice that is theirs. Ask one short question; set `options` if there are few answers. The user may take long to answer: do not ask what you can find out.';

const checkOptions = check.members<AskUserOptions>({
  name: check.anything,
  description: check.nonEmptyText,
  ...questionRuleChecks,
});

/**
 * Creates a tool with which the model asks a person.
 *
 * The chain waits for the answer without a worker. If no answer arrives in time (default 7 days), the model sees that and
 * continues.
 *
 * @throws {LonghandError} `invalid_options`
 * @example
 * defineAgent({ name: 'planner', tools: [askUser({ expires: '2 days' })], … })
 */
export function askUser(options: AskUserOptions = {}): Tool {
  check.assertNoProblem(checkOptions(options, '') ?? validateTimes(options, '')?.replace(/^\./, '') ?? null, 'askUser');
  const { name = 'ask_user', description = defaultDescription, ...rules } = options;
  const tool = defineTool({
    name,
    description,
    inputSchema: z.object({
      question: z.string().min(1).describe('One question, as the user will read it'),
      options: z.array(z.string()).optional().describe('Answers to choose from, if there are few'),
    }),
    returns: 'what the user answers',
    effects: 'read',
    kind: 'question',
    execute: () => {
      throw new NotDone('A person answers this call; it is never executed.');
    },
  });
  const question = toRequestRules(rules, { effects: 'read' }, 'The agent asks.');
  return { ...tool, snapshot: { ...tool.snapshot, question } };
}
