/** The description of a file by its content: its media type, and its pixels or pages. */

import { countPdfPages, detectMediaType, readPixelSize } from '../lib/index.js';
import { pdfType, toFileName, toMediaType } from './file.js';
import type { StoredFile } from './stored-content.js';

/** Media types by the end of a name, for content that does not state its own. */
const typesByEnding: { readonly [ending: string]: string } = {
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
  md: 'text/markdown',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  xml: 'application/xml',
  zip: 'application/zip',
};

/** A file as its creator states it: `mediaType` counts where the content does not show another. */
export interface FileContent {
  readonly name: string;
  readonly data: Uint8Array;
  readonly mediaType?: string | undefined;
}

/** Describes a file by its content: media type, and pixels or pages. */
export function describeFile({ name, data, mediaType }: FileContent): Omit<StoredFile, 'digest'> {
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  const byEnding = Object.hasOwn(typesByEnding, ending) ? typesByEnding[ending] : undefined;
  const type = detectMediaType(data) ?? mediaType ?? byEnding ?? 'application/octet-stream';
  const pixels = readPixelSize(data, type);
  const pages = type === pdfType ? countPdfPages(data) : null;
  return {
    name: toFileName(name),
    mediaType: toMediaType(type),
    bytes: data.byteLength,
    ...(pixels === null ? {} : { pixels }),
    ...(pages === null ? {} : { pages }),
  };
}
