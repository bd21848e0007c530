/** What comes in on standard input, whole or line by line. */

export type Input = AsyncIterable<string | Buffer>;

export async function readAll(input: Input): Promise<string> {
  const parts: string[] = [];
  for await (const part of decodeChunks(input)) parts.push(part);
  return parts.join('');
}

/** Without their ends. A long line is put together once, however many chunks it comes in. */
export async function* readLines(input: Input): AsyncGenerator<string> {
  let begun: string[] = [];
  for await (const part of decodeChunks(input)) {
    const pieces = part.split('\n');
    const last = pieces.pop() ?? '';
    for (const piece of pieces) {
      yield begun.join('') + piece;
      begun = [];
    }
    begun.push(last);
  }
  const rest = begun.join('');
  if (rest !== '') yield rest;
}

/** A chunk may end in the middle of a character. */
async function* decodeChunks(input: Input): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of input) yield typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}
