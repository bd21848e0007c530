/** Real files for tests: a PNG of any size, and a PDF with any number of pages. */

import { deflateSync } from 'node:zlib';

/** Creates a PNG of one grey. */
export function createPng(width: number, height: number, grey = 128): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width, grey)]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, toChunk('IHDR', header), toChunk('IDAT', pixels), toChunk('IEND', Buffer.alloc(0))]);
}

function toChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(computeCrc(body));
  return Buffer.concat([length, body, sum]);
}

function computeCrc(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** Creates a PDF whose pages are plain objects, or in a compressed object stream. */
export function createPdf(pages: number, layout: 'plain' | 'packed'): Buffer {
  const kids = Array.from({ length: pages }, (_, index) => `${index + 3} 0 R`).join(' ');
  const tree = `<< /Type /Pages /Kids [${kids}] /Count ${pages} >>`;
  const page = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] >>';
  const objects = [tree, ...Array.from({ length: pages }, () => page)];
  const start = '%PDF-1.5\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n';
  if (layout === 'plain') {
    const body = objects.map((object, index) => `${index + 2} 0 obj\n${object}\nendobj\n`).join('');
    return Buffer.from(`${start}${body}%%EOF\n`, 'latin1');
  }
  const packed = deflateSync(objects.join('\n'));
  const head = `900 0 obj\n<< /Type /ObjStm /N ${objects.length} /First 0 /Filter /FlateDecode /Length ${packed.length} >>\nstream\r\n`;
  return Buffer.concat([
    Buffer.from(start + head, 'latin1'),
    packed,
    Buffer.from('\nendstream\nendobj\n%%EOF\n', 'latin1'),
  ]);
}
