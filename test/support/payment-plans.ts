/** Random calls of a model and decisions of people. */

import fc from 'fast-check';

/** The decisions on a payment. */
export type DecisionKind =
  | 'approve'
  | 'change'
  | 'deny'
  | 'answer'
  | 'always'
  /** No decision: the request expires. */
  | 'leave'
  /** Two decisions at once: equal, or contradictory. */
  | 'both'
  | 'quarrel'
  /** An invalid decision, followed by a valid one. */
  | 'wrong call'
  | 'wrong digest'
  | 'wrong arguments';

export interface PlannedCall {
  readonly name: 'pay' | 'look_up';
  readonly input: { readonly thing: string; readonly ms: number };
}

export interface Plan {
  readonly steps: readonly (readonly PlannedCall[])[];
  /** A decision for each request, in the order in which a reader sees them; the last one is repeated. */
  readonly decisions: readonly DecisionKind[];
  /** The decision on a payment with an unknown outcome. */
  readonly outcome: 'happened' | 'not_happened' | 'give_up';
  /** The way in which commands are sent: a signal, the client, or an update without the client. */
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

const someDecision = fc.constantFrom<DecisionKind[]>(
  ...(['approve', 'approve', 'approve', 'change', 'deny', 'answer', 'always', 'leave'] as const),
  ...(['both', 'quarrel', 'wrong call', 'wrong digest', 'wrong arguments'] as const),
);

export const somePlan: fc.Arbitrary<Plan> = fc.record({
  steps: fc.array(fc.array(call, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 }),
  decisions: fc.array(someDecision, { minLength: 1, maxLength: 6 }),
  outcome: fc.constantFrom('happened', 'not_happened', 'not_happened', 'give_up'),
  channel: fc.constantFrom('signal', 'client', 'client', 'update'),
  cancelAfter: fc.option(fc.integer({ min: 0, max: 4 }), { freq: 5 }),
});
