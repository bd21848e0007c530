/** The type of a result by the agent's definition: where a chain succeeds, its answer is a value of the output schema. */

import type { Json } from '../lib/index.js';
import type { ChainResult } from './result.js';

/** The part of an agent's definition that a result depends on: `typeof clerk`, imported with `import type`. */
export interface AgentType {
  readonly name: string;
  readonly answer?: unknown;
}

/** The type of an agent's answer: of its output schema, or a text. `Json` where only the agent's name is known. */
export type AgentAnswer<A extends AgentType> = unknown extends A['answer'] ? Json : Exclude<A['answer'], undefined>;

/** The result of a chain of an agent. */
export type AgentResult<A extends AgentType> = TypedResult<AgentAnswer<A>>;

/** The result of a chain. Its `outcome`, or `success`, determines the type of the answer. */
export type TypedResult<Answer> = Omit<ChainResult, 'outcome' | 'success' | 'answer'> &
  (
    | {
        readonly outcome: 'success';
        readonly success: true;
        /** A text, or a value of the agent's output schema as the model wrote it, without defaults and transforms. */
        readonly answer: Answer;
      }
    | {
        readonly outcome: 'custom';
        readonly success: false;
        /** The answer of the agent's `check`, which no schema describes. */
        readonly answer: Json;
      }
    | {
        readonly outcome: Exclude<ChainResult['outcome'], 'success' | 'custom'>;
        readonly success: false;
        readonly answer: null;
      }
  );
