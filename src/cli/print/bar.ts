/** A bar of block characters. */

/** @param share from 0 to 1 @returns the part that is done, and the rest */
export function drawBar(share: number, columns: number): readonly [done: string, rest: string] {
  const done = Math.min(columns, Math.max(0, Math.round(share * columns)));
  return ['█'.repeat(done), '░'.repeat(columns - done)];
}
