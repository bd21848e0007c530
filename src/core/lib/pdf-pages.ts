/**
 * Counts the pages of a PDF. A page is an object with `/Type /Page`, in the file or in a compressed object stream.
 *
 * The number bounds what a model reads (L6), so an unclear file has none: an encrypted one, or one whose object streams
 * cannot be unpacked within the limits.
 */

import { Unzlib } from 'fflate/browser';

/** Unpacked bytes of all object streams. A page takes about a hundred. */
const maxUnpackedBytes = 16 * 1024 * 1024;

/** Characters around `/ObjStm` in which its dictionary is. */
const dictionaryLength = 1_000;

/** Bytes that are converted or unpacked at the same time: a few kilobytes may unpack to megabytes. */
const pieceLength = 4_096;

const pagePattern = /\/Type\s{0,8}\/Page(?![A-Za-z])/g;
const countPattern = /\/Count\s{1,8}(\d{1,9})/g;

/** Returns the number of pages; null if it is unclear. */
export function countPdfPages(bytes: Uint8Array): number | null {
  const text = toLatin1(bytes);
  if (/\/Encrypt\s/.test(text)) return null;
  const parts = [text];
  let left = maxUnpackedBytes;
  for (let at = text.indexOf('/ObjStm'); at >= 0; at = text.indexOf('/ObjStm', at + 1)) {
    const start = findStreamStart(text, at);
    const unpacked = start === null ? null : unpackStream(bytes, text, start, left);
    if (unpacked === null) return null;
    left -= unpacked.length;
    parts.push(unpacked);
  }
  const pages = parts.reduce((sum, part) => sum + [...part.matchAll(pagePattern)].length, 0);
  // The page tree states its number of pages, an outline that of its entries: the highest is a bound.
  const stated = parts.flatMap((part) => [...part.matchAll(countPattern)].map(([, digits]) => Number(digits)));
  const max = stated.reduce((highest, count) => Math.max(highest, count), pages);
  return max > 0 ? max : null;
}

/** Returns where the content of an object stream begins; null if it is not packed in the usual way. */
function findStreamStart(text: string, at: number): number | null {
  const head = text.slice(Math.max(0, at - dictionaryLength), at + dictionaryLength);
  const begin = /stream\r?\n/g;
  begin.lastIndex = Math.min(at, dictionaryLength);
  if (!head.includes('/FlateDecode') || begin.exec(head) === null) return null;
  return Math.max(0, at - dictionaryLength) + begin.lastIndex;
}

/** Returns null for a stream that is damaged, or longer than `most`. */
function unpackStream(bytes: Uint8Array, text: string, start: number, max: number): string | null {
  const end = text.indexOf('endstream', start);
  const packed = bytes.subarray(start, end < 0 ? bytes.length : end);
  const parts: string[] = [];
  let size = 0;
  const unpacker = new Unzlib((part) => {
    size += part.length;
    if (size > max) throw new RangeError('The stream is too long.');
    parts.push(toLatin1(part));
  });
  try {
    for (let at = 0; at < packed.length; at += pieceLength) unpacker.push(packed.subarray(at, at + pieceLength));
  } catch {
    return null;
  }
  return size === 0 ? null : parts.join('');
}

function toLatin1(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += pieceLength) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + pieceLength)));
  }
  return parts.join('');
}
