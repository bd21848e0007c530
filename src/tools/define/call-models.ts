/** The models that a call asks: found when a chain starts, and asked through the worker while the call runs. */

import type { CallableModel, CostPart, ModelFailureKind, ReplyStopReason } from '../../core/model/index.js';

/** Finds a model of the worker by its alias or id. @throws where no provider of the worker has it */
export type FindModel = (name: string) => CallableModel;

export interface ModelQuestion {
  /** Empty for none. */
  readonly system: string;
  readonly prompt: string;
  readonly temperature?: number | undefined;
  /** Lower than the reserved ones. */
  readonly maxTokens?: number | undefined;
  /** Called with each piece of the answer's text. Must not throw. */
  readonly onText?: ((delta: string) => void) | undefined;
}

export type ModelAnswer =
  | { readonly ok: true; readonly text: string; readonly stopReason: ReplyStopReason }
  | { readonly ok: false; readonly kind: ModelFailureKind; readonly message: string };

/** What a running call may ask. Each part has a reservation, and is asked once. */
export interface CallModels {
  readonly parts: readonly CostPart[];
  /** @param part position in `parts` */
  readonly ask: (part: number, question: ModelQuestion) => Promise<ModelAnswer>;
}
