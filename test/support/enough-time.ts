/** Scenes with a time limit that ends something after it has begun: a slow machine may need longer until it begins. */

const doublings = 4;

/**
 * Plays a scene with a time limit, and again with twice the time where the limit came too early.
 *
 * @param play returns null where the time ended before the moment that the test is about
 */
export async function playInTime<T>(limitMs: number, play: (limitMs: number) => Promise<T | null>): Promise<T> {
  for (let doubled = 0; doubled <= doublings; doubled += 1) {
    const played = await play(limitMs * 2 ** doubled);
    if (played !== null) return played;
  }
  throw new Error(`A time limit of ${limitMs * 2 ** doublings} ms came too early as well.`);
}
