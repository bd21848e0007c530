/** Lets each line that an activity logs, or that Temporal logs of it, say which step of the chain it belongs to. */

import { Context } from '@temporalio/activity';

/** What Temporal says of an activity in each line. */
type Attributes = Record<string, unknown>;

const steps = new WeakMap<Context, number>();

/** Of the activity that runs now. */
export function belongsTo(step: number): void {
  steps.set(Context.current(), step);
}

/** An interceptor, in the shape that Temporal's worker takes. */
export function stepInLogs(context: Context) {
  const getLogAttributes = (attributes: Attributes, next: (attributes: Attributes) => Attributes): Attributes => {
    const step = steps.get(context);
    return next(step === undefined ? attributes : { ...attributes, step });
  };
  return { outbound: { getLogAttributes } };
}
