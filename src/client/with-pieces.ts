/** Two streams as one, each as it comes: what a chain's history tells, and what the model is saying meanwhile. */

import type { SpokenPiece, TokenChannel } from '../contract/tokens.js';

export type ToldOrSpoken<T> =
  | { readonly kind: 'told'; readonly told: T }
  | { readonly kind: 'spoken'; readonly piece: SpokenPiece };

/** Ends with what is told. What was said while a told thing was on its way comes before it. */
export async function* withPieces<T>(
  told: AsyncGenerator<T, void>,
  channel: TokenChannel,
  chainId: string,
): AsyncGenerator<ToldOrSpoken<T>, void> {
  const heard: SpokenPiece[] = [];
  let wake = () => {};
  const stop = channel.subscribe(chainId, (piece) => {
    heard.push(piece);
    wake();
  });
  try {
    for (let next = told.next(); ; ) {
      const spoken = new Promise<'spoken'>((resolve) => {
        wake = () => resolve('spoken');
      });
      const first = heard.length > 0 ? 'spoken' : await Promise.race([next, spoken]);
      if (first === 'spoken') {
        for (const piece of heard.splice(0)) yield { kind: 'spoken', piece };
        continue;
      }
      if (first.done) return;
      yield { kind: 'told', told: first.value };
      next = told.next();
    }
  } finally {
    stop();
  }
}
