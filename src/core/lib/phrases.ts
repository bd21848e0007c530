/** The first of the phrases that a text contains, in any case. */
export function findPhrase(phrases: readonly string[], text: string): string | null {
  const lower = text.toLowerCase();
  return phrases.find((phrase) => lower.includes(phrase.toLowerCase())) ?? null;
}
