/** Reads standard input, all at once or line by line. */

export type Input = AsyncIterable<string | Buffer>;

export async function readAll(input: Input): Promise<string> {
  const parts: string[] = [];
  for await (const part of decodeChunks(input)) parts.push(part);
  return parts.join('');
}

/** Yields lines without line ends. A long line is joined once, however many chunks it has. */
export async function* readLines(input: Input): AsyncGenerator<string> {
  let line: string[] = [];
  for await (const part of decodeChunks(input)) {
    const pieces = part.split('\n');
    const last = pieces.pop() ?? '';
    for (const piece of pieces) {
      yield line.join('') + piece;
      line = [];
    }
    line.push(last);
  }
  const rest = line.join('');
  if (rest !== '') yield rest;
}

/** Decodes chunks, which may end in the middle of a character. */
async function* decodeChunks(input: Input): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of input) yield typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}
