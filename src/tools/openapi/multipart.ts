/** Writes a body of the type `multipart/form-data` (RFC 7578). Not by `FormData`, which changes line breaks within texts. */

import { randomUUID } from 'node:crypto';

export interface Part {
  readonly name: string;
  readonly text: string;
  readonly type: string | null;
  /** Whether the part has the name of a file. */
  readonly isFile: boolean;
}

export function createMultipart(parts: readonly Part[]): { readonly bytes: Uint8Array; readonly type: string } {
  // Random: no text contains it.
  const boundary = `longhand-${randomUUID()}`;
  const texts = parts.map(({ name, text, type, isFile }) => {
    const quotedName = escapeName(name);
    const file = isFile ? `; filename="${quotedName}"` : '';
    const head = `Content-Disposition: form-data; name="${quotedName}"${file}\r\n`;
    return `--${boundary}\r\n${head}${type === null ? '' : `Content-Type: ${type}\r\n`}\r\n${text}\r\n`;
  });
  return {
    bytes: Buffer.from(`${texts.join('')}--${boundary}--\r\n`),
    type: `multipart/form-data; boundary=${boundary}`,
  };
}

/** As browsers do: a name ends at a quote, and a header at a line break. */
function escapeName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
