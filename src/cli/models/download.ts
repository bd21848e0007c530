/** Downloads a text, with a limit of its size and of the time until its last byte (L7). */

export interface DownloadLimits {
  /** Bytes, uncompressed. */
  readonly bytes: number;
  readonly ms: number;
}

/** LiteLLM's map has about 3 MB. */
export const mapLimits: DownloadLimits = { bytes: 30_000_000, ms: 60_000 };

/** @throws {Error} with the cause as a clause */
export async function downloadText(address: string, { bytes: max, ms }: DownloadLimits): Promise<string> {
  const signal = AbortSignal.timeout(ms);
  try {
    const response = await fetch(address, { signal });
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(`the server answered with status ${response.status}`);
    }
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    // Leaving the loop closes the connection.
    for await (const piece of response.body ?? []) {
      bytes += piece.byteLength;
      if (bytes > max) throw new Error(`it has more than ${max} bytes`);
      pieces.push(piece);
    }
    return Buffer.concat(pieces).toString('utf8');
  } catch (error) {
    if (signal.aborted) throw new Error(`it did not arrive within ${ms / 1000} s`, { cause: error });
    throw error;
  }
}
