/** The character set that HTML declares in itself, within its first bytes. */

const searchedBytes = 1_024;

/** Returns the label of `<meta charset>`, or of `<meta http-equiv>` with a content type; null without one. */
export function findCharset(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.subarray(0, searchedBytes)).toString('latin1');
  const label = /<meta\b[^>]{0,200}?\bcharset\s*=\s*["']?\s*([\w:.-]{1,40})/i.exec(start)?.[1]?.toLowerCase() ?? null;
  // The text was read as ASCII: it cannot be UTF-16.
  return label?.startsWith('utf-16') === true ? 'utf-8' : label;
}
