/** The questions of a running call to people, and the answers that its chain has got so far. */

import { failureTypes, type RunToolInput } from '../../contract/index.js';
import { readAnswer } from '../../core/engine/index.js';
import type { Json } from '../../core/lib/index.js';
import { computeQuestionDigest, type ToolQuestion } from '../../core/model/index.js';
import type { SecretMasker } from '../../core/redact/index.js';
import { type AskPerson, createAsk, type OpenQuestion, Unanswered } from '../../tools/define/index.js';
import { createFailure } from '../context/failures.js';

export interface CallQuestions {
  readonly ask: AskPerson;
  /** @param result what an unsafe call returned without the answer @throws a failure with the question that has no answer */
  readonly rejectUnanswered: (result?: Json) => void;
}

export function createCallQuestions(
  tool: string,
  { answers = [] }: Pick<RunToolInput, 'answers'>,
  masker: SecretMasker,
): CallQuestions {
  let open: OpenQuestion | null = null;
  const timesByDigest = new Map<string, number>();
  return {
    ask: createAsk(tool, async (request) => {
      const question = masker.value({ ...request.question }) as unknown as ToolQuestion;
      const digest = computeQuestionDigest(tool, question);
      const readings = answers
        .filter((candidate) => candidate.digest === digest)
        .map(({ answer }) => readValidAnswer(request, answer));
      // The same question may be asked again, to get another answer. Only its valid answers count.
      const valid = readings.filter((reading) => 'value' in reading);
      const times = timesByDigest.get(digest) ?? 0;
      timesByDigest.set(digest, times + 1);
      const reading = valid[times];
      if (reading !== undefined) return reading.value;
      const last = readings.at(-1);
      const problem = last !== undefined && 'problem' in last ? ` The last answer was invalid: ${last.problem}` : '';
      open ??= {
        ...request,
        question,
        rules: { ...request.rules, reason: `${request.rules.reason}${masker.text(problem)}` },
      };
      throw new Unanswered('A person has to answer first: the call ends here, and runs again with the answer.');
    }),
    rejectUnanswered: (result) => {
      if (open === null) return;
      const question = { ...open.question, ...(result === undefined ? {} : { result }) };
      const details = { question, rules: { ...open.rules } } as unknown as Json;
      throw createFailure(failureTypes.questionAsked, `${tool} asks a person.`, { details });
    },
  };
}

function readValidAnswer({ question, validate }: OpenQuestion, answer: Json): ReturnType<typeof readAnswer> {
  const read = readAnswer(question, answer);
  const problem = 'value' in read ? validate(read.value) : null;
  return problem === null ? read : { problem };
}
