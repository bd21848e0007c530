/** What the bytes of a file state about themselves: its media type, and the pixels of an image. */

export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

interface Signature {
  readonly mediaType: string;
  readonly matches: (bytes: Uint8Array) => boolean;
}

const signatures: readonly Signature[] = [
  { mediaType: 'image/png', matches: (bytes) => hasText(bytes, 0, '\x89PNG\r\n\x1a\n') },
  { mediaType: 'image/jpeg', matches: (bytes) => hasText(bytes, 0, '\xff\xd8\xff') },
  { mediaType: 'image/gif', matches: (bytes) => hasText(bytes, 0, 'GIF87a') || hasText(bytes, 0, 'GIF89a') },
  { mediaType: 'image/webp', matches: (bytes) => hasText(bytes, 0, 'RIFF') && hasText(bytes, 8, 'WEBP') },
  { mediaType: 'application/pdf', matches: (bytes) => hasText(bytes, 0, '%PDF-') },
];

/** Returns the media type of an image or a PDF by its first bytes; null for any other content. */
export function detectMediaType(bytes: Uint8Array): string | null {
  return signatures.find(({ matches }) => matches(bytes))?.mediaType ?? null;
}

const readers: { readonly [mediaType: string]: (bytes: Uint8Array) => PixelSize | null } = {
  'image/png': (bytes) => (hasText(bytes, 12, 'IHDR') ? toSize(readBig(bytes, 16, 4), readBig(bytes, 20, 4)) : null),
  'image/gif': (bytes) => toSize(readLittle(bytes, 6, 2), readLittle(bytes, 8, 2)),
  'image/jpeg': readJpegSize,
  'image/webp': readWebpSize,
};

/** Returns the pixels of an image; null if its header cannot be read. */
export function readPixelSize(bytes: Uint8Array, mediaType: string): PixelSize | null {
  return Object.hasOwn(readers, mediaType) ? (readers[mediaType]?.(bytes) ?? null) : null;
}

/** Passes segment after segment, each with its length, to the one that starts the frame. */
function readJpegSize(bytes: Uint8Array): PixelSize | null {
  for (let at = 2; at + 9 < bytes.length; ) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff) return null;
    // Bytes of 0xff before a marker are padding.
    if (marker === 0xff) at += 1;
    else if (isFrameStart(marker)) return toSize(readBig(bytes, at + 7, 2), readBig(bytes, at + 5, 2));
    else at += 2 + Math.max(2, readBig(bytes, at + 2, 2));
  }
  return null;
}

function isFrameStart(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function readWebpSize(bytes: Uint8Array): PixelSize | null {
  if (hasText(bytes, 12, 'VP8X')) return toSize(readLittle(bytes, 24, 3) + 1, readLittle(bytes, 27, 3) + 1);
  if (hasText(bytes, 12, 'VP8 ')) return toSize(readLittle(bytes, 26, 2) & 0x3fff, readLittle(bytes, 28, 2) & 0x3fff);
  if (!hasText(bytes, 12, 'VP8L')) return null;
  const bits = readLittle(bytes, 21, 4);
  return toSize((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
}

function toSize(width: number, height: number): PixelSize | null {
  return width > 0 && height > 0 ? { width, height } : null;
}

/** Bytes after the end count as 0. */
function readBig(bytes: Uint8Array, at: number, length: number): number {
  let value = 0;
  for (let index = 0; index < length; index++) value = value * 256 + (bytes[at + index] ?? 0);
  return value;
}

function readLittle(bytes: Uint8Array, at: number, length: number): number {
  let value = 0;
  for (let index = length - 1; index >= 0; index--) value = value * 256 + (bytes[at + index] ?? 0);
  return value;
}

/** Compares each byte with a character below 256. */
function hasText(bytes: Uint8Array, at: number, text: string): boolean {
  if (bytes.length < at + text.length) return false;
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text.charCodeAt(index)) return false;
  return true;
}
