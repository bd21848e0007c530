import { expect, it } from 'vitest';
import { maskAddress } from '../../../src/core/lib/display.js';

it.each([
  ['localhost:4000', 'localhost:4000'],
  ['ftp://host/path', 'ftp://host/path'],
  ['ftp://me:hunter2@host:1', 'ftp://…@host:1'],
  ['me:hunter2@host:7233', '…@host:7233'],
  ['redis://:hunt@er2/@host', 'redis://…@host'],
  ['host:4000?key=hunter2#hunter2', 'host:4000?…'],
  ['ftp://host?user=me@home&key=hunter2', 'ftp://…@home?…'],
])('%s is shown as %s', (written, shown) => {
  expect(maskAddress(written)).toBe(shown);
});
