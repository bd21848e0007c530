/** What there is of a call besides what the model was shown: kept in the store, or come from it. */

/** A content in the store. */
export interface StoredContent {
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  readonly bytes: number;
}

/** Something that a tool has made. */
export interface Artifact extends StoredContent {
  readonly artifact: string;
  readonly mediaType: string;
}

export interface StoredParts {
  /** The whole observation, where the model is shown a part. Absent where it was not kept. */
  readonly whole?: StoredContent;
  /** In the order in which they were made. Absent where there are none. */
  readonly artifacts?: readonly Artifact[];
  /** It was not run: an equal call has been, so many milliseconds before. */
  readonly cached?: { readonly ageMs: number };
}

/** These members alone, of what has others too. */
export function toStoredParts({ whole, artifacts, cached }: StoredParts): StoredParts {
  return {
    ...(whole === undefined ? {} : { whole }),
    ...(artifacts === undefined ? {} : { artifacts }),
    ...(cached === undefined ? {} : { cached }),
  };
}
