/** Parts of a call's result that the model does not see: stored contents and artifacts. */

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

export interface StoredParts {
  /** The full observation, where the model sees a clipped one. Absent where it was not stored. */
  readonly fullObservation?: StoredContent;
  /** In order of creation. Absent where the tool made no artifact. */
  readonly artifacts?: readonly Artifact[];
  /** Not run: the result of an equal call from so many milliseconds before was used. */
  readonly cached?: { readonly ageMs: number };
}

/** Picks these members from an object that may have others. */
export function toStoredParts({ fullObservation: whole, artifacts, cached }: StoredParts): StoredParts {
  return {
    ...(whole === undefined ? {} : { fullObservation: whole }),
    ...(artifacts === undefined ? {} : { artifacts }),
    ...(cached === undefined ? {} : { cached }),
  };
}
