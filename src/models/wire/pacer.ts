/** Long work that lets other work of its process run in between (L7): heartbeats, timers, other chains. */

/** Milliseconds of work without a pause. */
const longestWorkMs = 50;

export interface Pacer {
  /** Pauses if the work has lasted long enough: after the pause, everything that waited has had its turn. */
  readonly pause: () => Promise<void> | undefined;
}

/** @example const pacing = pacer.pause(); if (pacing !== undefined) await pacing; */
export function createPacer(): Pacer {
  let began = performance.now();
  return {
    // Without a promise where no pause is due: most work is short, and an await for each piece is dear.
    pause: () => {
      if (performance.now() - began < longestWorkMs) return undefined;
      return new Promise((resolve) => {
        setImmediate(() => {
          began = performance.now();
          resolve();
        });
      });
    },
  };
}
