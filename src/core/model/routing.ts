/** Calls of agents with several models: the model of a call, why it was this one, and the models that failed before. */

import { check, omitUndefined } from '../lib/index.js';
import { type ModelRole, modelRoles } from './agent.js';
import type { ModelFailureKind } from './failure-kind.js';
import type { Usage } from './model.js';

/** The model of a call, and why. In the facts of agents with several models. */
export interface CallRoute {
  /** The model's name in the agent's snapshot, its provider, and its id there. */
  readonly model: string;
  readonly provider: string;
  readonly id: string;
  /** `policy`: the written policy of the worker. */
  readonly role: ModelRole | 'policy';
  /** The reason of the `route` policy, or the problem with its choice. Absent if there is no policy. */
  readonly reason?: string;
  /** The failure of the model before it in this call. Absent in a first attempt. */
  readonly after?: { readonly model: string; readonly failure: ModelFailureKind };
}

/** The model that answered a call: as replies record it, and as readers of a chain see it. */
export interface AnsweringModel {
  /** Name of the provider that made the call; null where none was made. */
  readonly provider: string | null;
  /** As the provider reported it. */
  readonly model: string;
  /** The endpoint that answered, of a provider that balances over several. */
  readonly endpoint?: string;
  /** As the catalogue states it. Absent if it states none. */
  readonly region?: string;
  /** Why it was this model. Absent for an agent with one model, and for a plan that was reused. */
  readonly route?: CallRoute;
  /** Of a reply from the cache of replies: no model was asked, and nothing is charged. Absent otherwise. */
  readonly cached?: CachedReply;
}

/** Where a cached reply is from. */
export interface CachedReply {
  /** Milliseconds since the reply was stored. */
  readonly ageMs: number;
  /** What the equal request used when a model answered it. It bounds the next request. */
  readonly usage: Usage;
}

export function pickAnsweringModel(by: AnsweringModel): AnsweringModel {
  const { provider, model, endpoint, region, route, cached } = by;
  return { provider, model, ...omitUndefined({ endpoint, region, route, cached }) };
}

/** Characters of a reason: user code writes it, and facts are bounded. */
export const maxRouteReason = 300;

/** A model that failed or refused the current call. */
export interface TriedModel {
  readonly model: string;
  readonly failure: ModelFailureKind;
  readonly message: string;
  /** Milliseconds that its provider requests to wait, or null. */
  readonly retryAfterMs: number | null;
}

export const checkCallRoute = check.shape<CallRoute>({
  ...{ model: check.text, provider: check.text, id: check.text },
  role: check.oneOf([...modelRoles, 'policy']),
  reason: check.optional(check.text),
  after: check.optional(check.shape({ model: check.text, failure: check.text as check.Check<ModelFailureKind> })),
});
