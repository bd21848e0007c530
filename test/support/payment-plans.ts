/** Calls of a model and decisions of people, drawn from numbers: the same in every run. */

import fc from 'fast-check';

/** How a person decides on a payment. */
export type DecisionKind =
  | 'approve'
  | 'change'
  | 'deny'
  | 'answer'
  | 'always'
  /** Says nothing: the time runs out. */
  | 'leave'
  /** Two at once, of one mind or of two. */
  | 'both'
  | 'quarrel'
  /** Something that is wrong first. */
  | 'wrong call'
  | 'wrong digest'
  | 'wrong arguments';

export interface PlannedCall {
  readonly name: 'pay' | 'look_up';
  readonly input: { readonly thing: string; readonly ms: number };
}

export interface Plan {
  readonly steps: readonly (readonly PlannedCall[])[];
  /** One for each request, in the order in which they are noticed; the last one again and again. */
  readonly decisions: readonly DecisionKind[];
  /** Of payments in doubt. */
  readonly outcome: 'happened' | 'not_happened' | 'give_up';
  /** By a signal, by the client, or by a bare update. */
  readonly channel: 'signal' | 'client' | 'update';
  /** The number of decisions after which a person cancels the chain, or null. */
  readonly cancelAfter: number | null;
}

const call: fc.Arbitrary<PlannedCall> = fc.record({
  name: fc.constantFrom('pay', 'pay', 'pay', 'look_up'),
  input: fc.record({
    thing: fc.constantFrom('rent', 'tax', 'wages', 'both houses'),
    ms: fc.constantFrom(0, 100, 300, 600),
  }),
});

const word = fc.constantFrom<DecisionKind[]>(
  ...(['approve', 'approve', 'approve', 'change', 'deny', 'answer', 'always', 'leave'] as const),
  ...(['both', 'quarrel', 'wrong call', 'wrong digest', 'wrong arguments'] as const),
);

export const somePlan: fc.Arbitrary<Plan> = fc.record({
  steps: fc.array(fc.array(call, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 }),
  decisions: fc.array(word, { minLength: 1, maxLength: 6 }),
  outcome: fc.constantFrom('happened', 'not_happened', 'not_happened', 'give_up'),
  channel: fc.constantFrom('signal', 'client', 'client', 'update'),
  cancelAfter: fc.option(fc.integer({ min: 0, max: 4 }), { freq: 5 }),
});
