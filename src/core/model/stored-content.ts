/** Parts of a call's result that the model does not see: stored contents, artifacts, and its visibility. */

import type { VisibilityLevel } from './agent.js';

/** A reference to a content in the store. */
export interface StoredContent {
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  readonly bytes: number;
}

/** A file that a tool produced. */
export interface Artifact extends StoredContent {
  readonly artifact: string;
  readonly mediaType: string;
}

/** Characters of a step's line. */
export const maxSummaryLength = 200;

/** The most that users see of a call, as its tool set it while it ran. */
export interface StepVisibility {
  readonly level: Exclude<VisibilityLevel, 'full'>;
  /** The line of its result; null for the line by the rules. */
  readonly summary: string | null;
}

export interface StoredParts {
  /** The full observation, where the model sees a clipped one. Absent where it was not stored. */
  readonly fullObservation?: StoredContent;
  /** In order of creation. Absent where the tool made no artifact. */
  readonly artifacts?: readonly Artifact[];
  /** Not run: the result of an equal call from so many milliseconds before was used. */
  readonly cached?: { readonly ageMs: number };
  /** Absent where the tool set none. */
  readonly visibility?: StepVisibility;
}

/** Picks these members from an object that may have others. */
export function toStoredParts({ fullObservation: whole, artifacts, cached, visibility }: StoredParts): StoredParts {
  return {
    ...(whole === undefined ? {} : { fullObservation: whole }),
    ...(artifacts === undefined ? {} : { artifacts }),
    ...(cached === undefined ? {} : { cached }),
    ...(visibility === undefined ? {} : { visibility }),
  };
}
