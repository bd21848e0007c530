/** Contents in the store: references to them in tasks and results, and what else a call's result has beside its text. */

import type { PixelSize } from '../lib/index.js';
import type { VisibilityLevel } from './level.js';

/** A reference to a content in the store. */
export interface StoredContent {
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  readonly bytes: number;
}

/** A file of a task or of a result. The chain has this reference; the bytes are in the store. */
export interface StoredFile extends StoredContent {
  readonly name: string;
  readonly mediaType: string;
  /** Of an image; absent where they are unknown. */
  readonly pixels?: PixelSize;
  /** Of a PDF, at most so many; absent where they are unknown. */
  readonly pages?: number;
}

/** Characters of a step's line. */
export const maxSummaryLength = 200;

/** Characters of a text in which the reason of a step, its first sentence, is looked for. */
export const maxReasonSearch = 600;

/** The most that users see of a call, as its tool set it while it ran. */
export interface StepVisibility {
  readonly level: Exclude<VisibilityLevel, 'full'>;
  /** The line of its result; null for the line by the rules. */
  readonly summary: string | null;
}

export interface StoredParts {
  /** The full observation, where the model sees a clipped one. Absent if it was not stored. */
  readonly fullObservation?: StoredContent;
  /** Files of the result, in its order: the model gets those that it can read. Absent if it has none. */
  readonly files?: readonly StoredFile[];
  /** Files for people, in order of creation. Absent if the tool made none. */
  readonly artifacts?: readonly StoredFile[];
  /** Not run: the result of an equal call from so many milliseconds before was used. */
  readonly cached?: { readonly ageMs: number };
  /**
   * Only of a result above the size at which the agent or the tool has results summarized: the model. With `failure`, the observation is
   * clipped instead.
   */
  readonly summarized?: { readonly model: string; readonly failure?: string };
  /** Absent if the tool set none. */
  readonly visibility?: StepVisibility;
}

/** Picks these members from an object that may have others. */
export function toStoredParts({
  fullObservation: whole,
  files,
  artifacts,
  cached,
  summarized,
  visibility,
}: StoredParts): StoredParts {
  return {
    ...(whole === undefined ? {} : { fullObservation: whole }),
    ...(files === undefined ? {} : { files }),
    ...(artifacts === undefined ? {} : { artifacts }),
    ...(cached === undefined ? {} : { cached }),
    ...(summarized === undefined ? {} : { summarized }),
    ...(visibility === undefined ? {} : { visibility }),
  };
}
