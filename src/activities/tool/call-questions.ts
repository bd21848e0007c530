/** The questions of a running call to people, and the answers that its chain has got so far. */

import type { RunToolInput } from '../../contract/activities.js';
import { failureTypes } from '../../contract/names.js';
import { readAnswer } from '../../core/approvals/question-answer.js';
import type { Json } from '../../core/lib/json.js';
import { type AskedQuestion, computeQuestionDigest } from '../../core/model/request.js';
import type { SecretMasker } from '../../core/redact/known-secrets.js';
import { type AskPerson, createAsk, type OpenQuestion } from '../../tools/define/ask-person.js';
import { NotDone } from '../../tools/define/errors.js';
import { createFailure } from '../context/failures.js';

export interface CallQuestions {
  readonly ask: AskPerson;
  /** @throws a failure with the question that has no answer, also where the tool has caught the error of `ask` */
  readonly rejectUnanswered: () => void;
}

export function createCallQuestions(
  tool: string,
  { answers = [] }: Pick<RunToolInput, 'answers'>,
  masker: SecretMasker,
): CallQuestions {
  let open: OpenQuestion | null = null;
  const asked = new Map<string, number>();
  return {
    ask: createAsk(tool, async ({ asks, rules }) => {
      const question = { asks: masker.value({ ...asks }) as unknown as AskedQuestion, rules };
      const digest = computeQuestionDigest(tool, question.asks);
      // The same question may be asked again, to get another answer. A signal may bring one that does not match.
      const given = answers
        .filter((each) => each.digest === digest)
        .map(({ answer }) => readAnswer(asks, answer))
        .filter((read) => 'value' in read);
      const times = asked.get(digest) ?? 0;
      asked.set(digest, times + 1);
      const found = given[times];
      if (found !== undefined) return found.value;
      open ??= { ...question, rules: { ...rules, reason: masker.text(rules.reason) } };
      throw new NotDone('A person has to answer first: the call ends here, and runs again with the answer.');
    }),
    rejectUnanswered: () => {
      if (open === null) return;
      const details = { asks: { ...open.asks }, rules: { ...open.rules } } as unknown as Json;
      throw createFailure(failureTypes.questionAsked, `${tool} asks a person.`, { details });
    },
  };
}
