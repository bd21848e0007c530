/** Finds planted secrets in any encoding, independently of the code under test. */

/** The unique word of each planted secret. */
export type Planted = Readonly<Record<string, string>>;

/** Returns the names of the secrets that a text contains. */
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
