/**
 * Questions of a running tool to a person. An activity cannot wait for days, so the first `ask` ends the call; the chain waits
 * without a worker, and runs the call again with the answer.
 */

import { checkList, checkMembers, checkNonEmptyText, type ValueCheck } from '../../core/lib/check-value.js';
import { shorten } from '../../core/lib/display.js';
import { countUtf8Bytes, type Json, toCanonicalJson } from '../../core/lib/json.js';
import { toOneLine } from '../../core/lib/plain-text.js';
import type { AskedQuestion, RequestRules } from '../../core/model/request.js';
import type { ApprovalOptions } from '../approval/approval.js';
import { approvalOptionChecks, validateTimes } from '../approval/check-approval.js';
import { toRequestRules } from '../approval/combine-approvals.js';
import { toAnswerSchema } from './json-schema.js';
import { type SchemaOutput, type ToolSchema, validateSchema, validateValue } from './tool-schema.js';

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
  readonly asks: AskedQuestion;
  readonly rules: RequestRules;
}

const maxQuestionCharacters = 4_000;
const maxOptions = 20;
const maxOptionCharacters = 200;
const maxReasonCharacters = 300;

const maxSchemaBytes = 16_000;

const checkLength =
  (limit: number): ValueCheck =>
  (value, at) =>
    checkNonEmptyText(value, at) ??
    (String(value).length <= limit ? null : `${at} must have at most ${limit} characters`);

const checkOptions: ValueCheck = (value, at) =>
  checkList(checkLength(maxOptionCharacters))(value, at) ??
  ((value as readonly string[]).length <= maxOptions ? null : `${at} must have at most ${maxOptions} texts`);

const checkQuestion = checkMembers<PersonQuestion>({
  question: checkLength(maxQuestionCharacters),
  options: checkOptions,
  schema: validateSchema,
  roles: approvalOptionChecks.roles,
  byRequester: approvalOptionChecks.byRequester,
  expires: approvalOptionChecks.expires,
  escalate: approvalOptionChecks.escalate,
});

/** @param answer returns the answer to a checked question, or throws if nobody has answered yet */
export function createAsk(tool: string, answer: (question: OpenQuestion) => Promise<Json>): AskPerson {
  return async (given: PersonQuestion): Promise<never> => {
    const { schema } = given;
    const value = await answer(toOpenQuestion(tool, given));
    if (schema === undefined) return value as never;
    const validated = validateValue(schema, value);
    if (!validated.ok) throw new TypeError(`The answer to a question of ${tool} is invalid: ${validated.problem}`);
    return validated.value as never;
  };
}

/** @throws {TypeError} */
function toOpenQuestion(tool: string, given: PersonQuestion): OpenQuestion {
  const createError = (problem: string) => new TypeError(`${tool} cannot ask: ${problem}`);
  const wrong = checkQuestion(given, '') ?? validateTimes(given, '')?.replace(/^\./, '') ?? null;
  if (wrong !== null) throw createError(`${wrong}.`);
  const { question, options, schema, ...rules } = given;
  if (question === undefined) throw createError('question is missing.');
  const asks: AskedQuestion = {
    question,
    ...(options === undefined ? {} : { options }),
    ...(schema === undefined ? {} : { schema: toAnswerSchema(schema, createError) }),
  };
  if (countUtf8Bytes(toCanonicalJson(asks.schema)) > maxSchemaBytes)
    throw createError(`schema has more than ${maxSchemaBytes} bytes as JSON Schema.`);
  const reason = `${tool} asks: ${shorten(toOneLine(question), maxReasonCharacters)}`;
  return { asks, rules: toRequestRules(rules, { effects: 'read' }, reason) };
}
