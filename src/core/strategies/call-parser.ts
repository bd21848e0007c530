/** Calls the parser of an own strategy. Apart from its rendering, so that definitions do not load the strategies. */

import { check, type Json, parseJson, toErrorMessage } from '../lib/index.js';

/** A reply as a parser read it: calls, an answer, or a problem. */
export interface StrategyReading {
  readonly thought?: string | null;
  /** An answer beside calls is dropped: the model has not seen their results. */
  readonly calls?: readonly { readonly tool: string; readonly input: Json }[];
  /** With an output schema, JSON text. */
  readonly answer?: string | null;
  /** What is wrong with the reply and how to write it, for the model. */
  readonly problem?: string | null;
}

/** Reads the text of a reply. Pure: equal texts give equal readings. */
export type StrategyParser = (text: string) => StrategyReading;

const checkReading = check.members<StrategyReading>({
  thought: check.nullable(check.text),
  // A name is in the label of its observation, which has a bound.
  calls: check.list(
    check.shape({ tool: check.pattern(/^.{1,64}$/s, 'must be a text of 1 to 64 characters'), input: check.present }),
  ),
  answer: check.nullable(check.text),
  problem: check.nullable(check.text),
});

/**
 * Calls a parser, which is an author's code: one that throws or returns any other value is a fault, never an exception (L4).
 *
 * @returns the reading in its JSON form, as facts store it, or the fault
 */
export function callParser(parse: StrategyParser, text: string): StrategyReading | string {
  try {
    const json = JSON.stringify(parse(text)) ?? 'null';
    // Facts store what is not in the reply a second time (L2). An escaped character has six.
    if (json.length > 6 * text.length + 10_000) return 'the reading of the parser is much longer than the reply';
    const reading = parseJson(json);
    const problem = checkReading(reading, '');
    return problem === null ? (reading as StrategyReading) : `the parser returned an invalid reading: ${problem}`;
  } catch (error) {
    return `the parser threw: ${toErrorMessage(error)}`;
  }
}
