/** L6: the usage of a model call is passed on only if it is plausible. */

import {
  checkUsage,
  estimateMinUsage,
  type ModelFailure,
  type Reply,
  type Reservation,
} from '../../core/model/index.js';
import type { ModelCall, ModelCallOptions, ModelCallResult, ModelProvider } from './provider.js';

/** Calls the provider once and checks the usage that it reports. */
export async function callAndCheckUsage(
  provider: ModelProvider,
  modelCall: ModelCall,
  reserved: Reservation,
  options: ModelCallOptions,
): Promise<ModelCallResult> {
  const called = await provider.call(modelCall, options);
  return called.ok
    ? { ok: true, reply: checkReplyUsage(called.reply, modelCall, reserved) }
    : { ok: false, failure: checkFailureUsage(called.failure, modelCall, reserved) };
}

function checkReplyUsage(reply: Reply, { request }: ModelCall, reserved: Reservation): Reply {
  if (reply.usage === null) return reply;
  const checked = checkUsage(reply.usage, reserved, estimateMinUsage(request, reply.content));
  return checked.plausible ? reply : { ...reply, usage: null, usageProblem: checked.problem };
}

function checkFailureUsage(failure: ModelFailure, { request }: ModelCall, reserved: Reservation): ModelFailure {
  if (failure.settle !== 'usage') return failure;
  const checked = checkUsage(failure.usage, reserved, estimateMinUsage(request, []));
  return checked.plausible ? failure : { ...failure, settle: 'reservation', usage: null };
}
