/**
 * Questions of a running tool to a person. An activity cannot wait for days, so the first `ask` ends the call; the chain waits
 * without a worker, and runs the call again with the answer.
 */

import { check, countUtf8Bytes, type Json, omitUndefined, toCanonicalJson } from '../../core/lib/index.js';
import type { RequestRules, ToolQuestion } from '../../core/model/index.js';
import type { ApprovalOptions } from './approval/approval.js';
import { questionRuleChecks, validateTimes } from './approval/check-approval.js';
import { toRequestRules } from './approval/combine-approvals.js';
import { NotDone } from './errors.js';
import { toAnswerSchema } from './json-schema.js';
import { type SchemaOutput, type ToolSchema, validateInput, validateSchema, validateValue } from './tool-schema.js';

/** A question for a person. */
export interface PersonQuestion extends Pick<ApprovalOptions, 'roles' | 'byRequester' | 'expires' | 'escalate'> {
  /** As the person reads it, at most 4,000 characters. */
  readonly question: string;
  /** Answers to choose from, at most 20. */
  readonly options?: readonly string[] | undefined;
  /** The schema of the answer. Default: any text. */
  readonly schema?: ToolSchema | undefined;
}

export interface AskPerson {
  <S extends ToolSchema>(question: PersonQuestion & { readonly schema: S }): Promise<SchemaOutput<S>>;
  (question: PersonQuestion): Promise<string>;
}

/** A checked question with its rules. */
export interface OpenQuestion {
  readonly question: ToolQuestion;
  readonly rules: RequestRules;
  /** Returns what is wrong with an answer that matches the JSON Schema, or null. */
  readonly validate: (answer: Json) => string | null;
}

/** The error of `ask` where nobody has answered yet. */
export class Unanswered extends NotDone {
  /** @param result what the call returned without the answer, where that is known */
  constructor(
    message: string,
    readonly result?: unknown,
  ) {
    super(message);
  }
}

const maxQuestionCharacters = 4_000;
const maxOptions = 20;
const maxOptionCharacters = 200;

const maxSchemaBytes = 16_000;

const checkLength = (limit: number) =>
  check.refine(check.nonEmptyText, ({ length }) => length <= limit, `must have at most ${limit} characters`);

const checkOptions = check.refine(
  check.list(checkLength(maxOptionCharacters)),
  ({ length }) => length <= maxOptions,
  `must have at most ${maxOptions} texts`,
);

const checkQuestion = check.members<PersonQuestion>({
  question: checkLength(maxQuestionCharacters),
  options: checkOptions,
  schema: validateSchema,
  ...questionRuleChecks,
});

/** @param answer returns the answer to a checked question, or throws if nobody has answered yet */
export function createAsk(tool: string, answer: (question: OpenQuestion) => Promise<Json>): AskPerson {
  return async (personQuestion: PersonQuestion): Promise<never> => {
    const { schema } = personQuestion;
    const value = await answer(toOpenQuestion(tool, personQuestion));
    const validated = schema === undefined ? null : validateValue(schema, value);
    return (validated?.ok ? validated.value : value) as never;
  };
}

/** @throws {TypeError} */
function toOpenQuestion(tool: string, personQuestion: PersonQuestion): OpenQuestion {
  const createError = (problem: string) => new TypeError(`${tool} cannot ask: ${problem}`);
  const problem = checkQuestion(personQuestion, '') ?? validateTimes(personQuestion, '')?.replace(/^\./, '') ?? null;
  if (problem !== null) throw createError(`${problem}.`);
  const { question: text, options, schema, ...rules } = personQuestion;
  if (text === undefined) throw createError('question is missing.');
  const question: ToolQuestion = {
    text,
    ...omitUndefined({ options }),
    ...(schema === undefined ? {} : { schema: toAnswerSchema(schema, createError) }),
  };
  if (countUtf8Bytes(toCanonicalJson(question.schema)) > maxSchemaBytes)
    throw createError(`schema has more than ${maxSchemaBytes} bytes as JSON Schema.`);
  const validate = (answer: Json) => (schema === undefined ? null : validateInput(schema, answer));
  return { question, rules: toRequestRules(rules, { effects: 'read' }, `${tool} asks a person.`), validate };
}
