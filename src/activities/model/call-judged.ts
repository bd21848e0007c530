/** L6: one call of a provider, whose usage is passed on only where it can be true. The provider may be anybody's code. */

import type { ModelFailure } from '../../core/model/fact.js';
import type { Reply } from '../../core/model/model.js';
import { judgeUsage, leastByLength, type Reservation } from '../../core/model/usage.js';
import type { CallOptions, CallResult, ModelCall, ModelProvider } from '../../models/provider.js';

export async function callJudged(
  provider: ModelProvider,
  asked: ModelCall,
  reserved: Reservation,
  options: CallOptions,
): Promise<CallResult> {
  const called = await provider.call(asked, options);
  return called.ok
    ? { ok: true, reply: judgedReply(called.reply, asked, reserved) }
    : { ok: false, failure: judgedFailure(called.failure, asked, reserved) };
}

function judgedReply(reply: Reply, { request }: ModelCall, reserved: Reservation): Reply {
  if (reply.usage === null) return reply;
  const judged = judgeUsage(reply.usage, reserved, leastByLength(request, reply.content));
  return judged.plausible ? reply : { ...reply, usage: null, usageProblem: judged.problem };
}

function judgedFailure(failure: ModelFailure, { request }: ModelCall, reserved: Reservation): ModelFailure {
  if (failure.settle !== 'usage') return failure;
  const judged = judgeUsage(failure.usage, reserved, leastByLength(request, []));
  return judged.plausible ? failure : { ...failure, settle: 'reservation', usage: null };
}
