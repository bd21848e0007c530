/** One finding of `longhand doctor`. */

export interface Check {
  readonly name: string;
  /** `warning`: chains can run all the same, or it could not be looked at. */
  readonly status: 'ok' | 'warning' | 'missing';
  readonly found: string;
  /** What to do about it; null where nothing needs doing. */
  readonly remedy: string | null;
}
