/** What the model of a step sees of the chain, in outline: which steps are summarized and how, and how much of each result it gets. */

export interface ContextOutline {
  /** The chain that made the call: for the first steps of a fork, its origin. */
  readonly chainId: string;
  /** `model-4` */
  readonly call: string;
  readonly step: number;
  readonly model: string;
  /** Tokens of the model's window; null if unknown. */
  readonly windowTokens: number | null;
  /** Part of the window at which the oldest steps are summarized. */
  readonly compactAt: number;
  /** The most input tokens that were reserved, and those that the provider reported; null without a report. */
  readonly reservedTokens: number;
  readonly inputTokens: number | null;
  /** UTF-8 bytes of the parts of the request. */
  readonly bytes: { readonly system: number; readonly tools: number; readonly messages: number };
  /** Null while all steps are in the request. */
  readonly summary: SummaryOutline | null;
  /** The steps in the request in full. */
  readonly steps: readonly { readonly number: number; readonly results: readonly ResultOutline[] }[];
}

export interface SummaryOutline {
  /** Steps 1 to this one are summarized. */
  readonly steps: number;
  /** The notes of a model. `text`: null for a viewer who does not see them. Null without notes. */
  readonly notes: {
    readonly steps: number;
    readonly bytes: number;
    readonly call: string | null;
    readonly text: string | null;
  } | null;
  /** The newest steps without notes have a line each, by rule. */
  readonly lines: number;
  /** Steps without notes or a line. */
  readonly leftOut: number;
}

export interface ResultOutline {
  /** Id of the call. */
  readonly call: string;
  /** Null for a viewer who does not see it, as the next members. */
  readonly tool: string | null;
  readonly form: 'whole' | 'clipped' | 'summarized' | 'reused' | null;
  /** UTF-8 bytes in the request, and of the complete result. */
  readonly bytes: number | null;
  readonly ofBytes: number | null;
  /** The model that summarized it, or that did not. Absent for none. */
  readonly summarized?: { readonly model: string; readonly failure?: string };
}
