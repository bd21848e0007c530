/** A request as somebody may see it (L8): what is decided is the request as it is, also where a part is hidden. */

import type { OpenRequest } from '../../client/read/requests.js';
import type { Json } from '../../core/lib/json.js';
import type { Level } from '../../core/model/agent.js';
import type { ReasoningView } from '../../core/view/reasoning-view.js';

export interface SeenRequest {
  readonly request: OpenRequest;
  readonly level: Level;
  /** Null where it is hidden. */
  readonly tool: string | null;
  /** Redacted; null below `full`. */
  readonly input: Json;
  /** Why it is asked; below `full` what may be said of it, or null. */
  readonly reason: string | null;
  /** Who may not decide, because the chain runs for them; else null. */
  readonly notBy: string | null;
}

export function seenRequest(request: OpenRequest, { steps, user }: Pick<ReasoningView, 'steps' | 'user'>): SeenRequest {
  const notBy = request.byRequester ? null : user;
  const hidden: SeenRequest = { request, level: 'hidden', tool: null, input: null, reason: null, notBy };
  for (const step of steps.toReversed()) {
    if (step.kind !== 'approval' || step.level === 'hidden' || step.correlationId !== request.call) continue;
    if (step.level === 'summary') return { ...hidden, level: 'summary', tool: step.tool, reason: step.summary };
    // Somebody has changed the arguments between the two looks.
    if (step.digest !== request.digest) return hidden;
    const { tool, input, changedInput, reason } = step;
    return { request, level: 'full', tool, input: changedInput === undefined ? input : changedInput, reason, notBy };
  }
  return hidden;
}
