/** Secrets that were planted, looked for in whatever way they may be written; by other means than the code's own. */

/** Of one that is planted, the word in it that stands nowhere else. Others may stand around it. */
export type Planted = Readonly<Record<string, string>>;

/** Names of those that a text holds. */
export function findLeaks(text: string, planted: Planted): readonly string[] {
  return Object.entries(planted).flatMap(([name, word]) =>
    listEncodings(word).some((way) => text.includes(way)) ? name : [],
  );
}

function listEncodings(word: string): readonly string[] {
  const base64 = ['', '.', '..'].map((before) =>
    Buffer.from(before + word)
      .toString('base64')
      .replace(/=+$/, '')
      .slice(4, -1),
  );
  const hex = Buffer.from(word).toString('hex');
  return [word, ...base64, hex, hex.toUpperCase()];
}
