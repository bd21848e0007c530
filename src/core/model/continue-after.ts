/** When a chain goes on in a new run, and how far it was when it did. The rule is in engine/seam.ts. */

/** When a run has had enough, besides when the server says so. Absent: only then. */
export interface ContinueAfter {
  /** Events in the run's history. */
  readonly events?: number;
  /** Steps taken in the run. */
  readonly steps?: number;
}

/** How far the chain had come when its present run began. */
export interface RunBegun {
  /** Runs before. */
  readonly runs: number;
  readonly steps: number;
  readonly facts: number;
}
