/**
 * Reads the answer of an agent with an output schema. An answer that does not match is repaired where its value is in the
 * reply, without a model call: JSON in a code fence or between other text, JSON with small errors, the answer as the only
 * member of an object. No value is invented. Any other answer becomes a correction, and the model is asked again.
 */

import { findControlTool, parseAnswerProblem, readFinish, renderAnswerProblem } from '../engine/index.js';
import {
  findOwn,
  isObject,
  type Json,
  type JsonObject,
  parseJson,
  readLooseValues,
  removeNulls,
  toCanonicalJson,
} from '../lib/index.js';
import type { AnswerRepair, Reading, ReplyStopReason, RequestedCall } from '../model/index.js';
import type { AnswerValidator, ParsedAgent } from './strategy.js';

type AnswerResult =
  | { readonly ok: true; readonly answer: Json; readonly repairs: readonly AnswerRepair[] }
  | { readonly ok: false; readonly problem: string };

/** Replaces the answer by the value that matches the output schema, or by a correction. */
export function checkAnswer(
  reading: Reading,
  agent: ParsedAgent,
  stopReason: ReplyStopReason,
  validate: AnswerValidator,
): Reading {
  const { outputSchema } = agent;
  if (outputSchema === undefined || reading.problem !== null || !endingReasons.has(stopReason)) return reading;
  const read = (answer: Json) => readAnswer(answer, outputSchema, validate);
  if (agent.strategy.name === 'plan') return checkPlanAnswer(reading, agent, read);
  if (reading.failure !== undefined || reading.answer === null) return reading;
  const result = read(reading.answer);
  if (!result.ok) return { ...reading, answer: null, problem: renderAnswerProblem(agent, result.problem) };
  return { ...reading, answer: result.answer, ...toRepairs(result.repairs) };
}

/** A reply that ended otherwise is a refusal, or is not complete. */
const endingReasons: ReadonlySet<ReplyStopReason> = new Set<ReplyStopReason>(['end_turn', 'stop_sequence', 'tool_use']);

/** The plan decides later which text is an answer (plan/update-plan.ts), and whether a call of `finish` may end the chain. */
function checkPlanAnswer(reading: Reading, agent: ParsedAgent, read: (answer: Json) => AnswerResult): Reading {
  if (reading.answer !== null) {
    const result = read(reading.answer);
    return result.ok ? { ...reading, answer: result.answer, ...toRepairs(result.repairs) } : reading;
  }
  const calls: RequestedCall[] = [];
  let repairs: readonly AnswerRepair[] = [];
  for (const call of reading.calls) {
    const { answer, failure } = readFinish(call.input);
    if (findControlTool(call.tool) !== 'finish' || call.rejected !== null || failure !== undefined) {
      calls.push(call);
      continue;
    }
    const result = read(answer);
    if (!result.ok) return { ...reading, answer: null, problem: renderAnswerProblem(agent, result.problem) };
    const members = isObject(call.input) ? call.input : {};
    const isSame = toCanonicalJson(result.answer) === toCanonicalJson(answer);
    calls.push(isSame ? call : { ...call, input: { ...members, result: result.answer } });
    repairs = [...repairs, ...result.repairs];
  }
  return { ...reading, calls, ...toRepairs(repairs) };
}

function toRepairs(repairs: readonly AnswerRepair[]): Pick<Reading, 'repairs'> {
  return repairs.length === 0 ? {} : { repairs };
}

/** @param reply text, or the value in a finish call */
function readAnswer(reply: Json, schema: JsonObject, validate: AnswerValidator): AnswerResult {
  const reading = typeof reply === 'string' ? findObject(reply) : ({ ok: true, answer: reply, repairs: [] } as const);
  if (!reading.ok) return reading;
  const answer = removeNulls(reading.answer, schema);
  const problem = validate(answer);
  if (problem === null) return { ...reading, answer };
  const inner = findWrapped(answer, schema);
  if (inner === null) return { ok: false, problem };
  const unwrapped = removeNulls(inner, schema);
  if (validate(unwrapped) !== null) return { ok: false, problem };
  return { ok: true, answer: unwrapped, repairs: [...reading.repairs, 'unwrapped'] };
}

/** Returns the object in the only member of an object, such as `{ "answer": { … } }`, if the schema has no such member. */
function findWrapped(answer: Json, { properties }: JsonObject): JsonObject | null {
  const [only, ...others] = isObject(answer) ? Object.entries(answer) : [];
  if (only === undefined || others.length > 0 || !isObject(only[1])) return null;
  return isObject(properties) && findOwn(properties, only[0]) !== undefined ? null : only[1];
}

/** Finds the only JSON object of a text. Of several, none is the answer. */
function findObject(text: string): AnswerResult {
  const exact = parseJson(text);
  if (exact !== undefined) return { ok: true, answer: exact, repairs: [] };
  let object: { readonly value: JsonObject; readonly start: number; readonly end: number } | null = null;
  for (const { start, read } of readLooseValues(text, '{')) {
    if (read.ok && isObject(read.value)) {
      if (object !== null) return { ok: false, problem: 'The reply has several JSON objects. Write only one.' };
      object = { value: read.value, start, end: read.end };
    } else if (!read.ok && read.cut && object === null) {
      return { ok: false, problem: `The JSON is not complete: ${read.reason}.` };
    }
  }
  if (object === null) return { ok: false, problem: 'Expected one JSON object, found other text.' };
  const surroundings = [text.slice(0, object.start), text.slice(object.end)].map((part) => part.trim());
  const isLoose = parseJson(text.slice(object.start, object.end)) === undefined;
  return {
    ok: true,
    answer: object.value,
    repairs: [...listRepairsAround(surroundings), ...(isLoose ? (['json'] as const) : [])],
  };
}

function listRepairsAround([before = '', after = '']: readonly string[]): readonly AnswerRepair[] {
  if (before === '' && after === '') return [];
  return /^(`{3,}|~{3,})\w*$/.test(before) && /^(`{3,}|~{3,})?$/.test(after) ? ['code_fence'] : ['text_around'];
}

/** Judges as a recorded reading did: the schema may have refinements that only its worker has. */
export function createRecordedAnswerValidator({ answer, calls, problem }: Reading): AnswerValidator {
  const recorded = new Set(
    (answer === null ? calls.map(({ input }) => readFinish(input).answer) : [answer]).map(toCanonicalJson),
  );
  const answerProblem = parseAnswerProblem(problem);
  return (candidate) => {
    if (answerProblem !== null) return answerProblem;
    return recorded.size === 0 || recorded.has(toCanonicalJson(candidate))
      ? null
      : 'It differs from the recorded answer.';
  };
}
