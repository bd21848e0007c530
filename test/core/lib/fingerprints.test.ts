/** The fingerprints of one pass are those of a plain reference: workers and readers of other versions compute the same. */

import { expect, it } from 'vitest';
import { computeFingerprint, computeFingerprints } from '../../../src/core/lib/digest.js';
import { randomFrom } from '../../support/random.js';

const { imul } = Math;
const toText = (a: number, b: number) => ((b & 0x1fffff) * 0x1_0000_0000 + (a >>> 0)).toString(36);

function hash(units: readonly number[]): readonly [number, number] {
  return units.reduce<readonly [number, number]>(
    ([a, b], unit) => [imul(a ^ unit, 0x27d4eb2f), imul(b ^ unit, 0x165667b1)],
    [0x9e3779b9, 0x85ebca6b],
  );
}

const listUnits = (text: string) => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));

function referenceWhole(text: string): string {
  const [a, b] = hash(listUnits(text));
  const mixed = imul(a ^ (a >>> 15), 0x2c1b3c6d) ^ imul(b ^ (b >>> 13), 0x297a2d39);
  return toText(mixed, imul(b ^ (b >>> 15), 0x2c1b3c6d) ^ imul(mixed ^ (mixed >>> 13), 0x297a2d39));
}

function referenceLines(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.replace(/[^!-\uffff]/g, '').replace(/[A-Z]/g, (letter) => letter.toLowerCase()))
    .filter((line) => line !== '')
    .map((line) => hash(listUnits(line)));
  const sum = (of: (line: readonly [number, number]) => number) =>
    lines.reduce((total, line) => (total + of(line)) | 0, 0);
  return toText(
    sum(([a]) => imul(a ^ (a >>> 15), 0x2c1b3c6d)),
    sum(([, b]) => imul(b ^ (b >>> 13), 0x297a2d39)),
  );
}

it('are those of the reference for 2,000 random texts', () => {
  const random = randomFrom(7);
  const letters = ['a', 'B', 'z', ' ', '\n', '\n', '\t', '\r', 'é', '\u{1f600}', '\ud800', '0', '@', '['];
  for (let round = 0; round < 2_000; round++) {
    const text = Array.from(
      { length: Math.floor(random() * 60) },
      () => letters[Math.floor(random() * letters.length)],
    ).join('');
    expect(computeFingerprints(text)).toEqual({ whole: referenceWhole(text), lines: referenceLines(text) });
    expect(computeFingerprint(text)).toBe(referenceWhole(text));
  }
});

it('of lines ignore their order, spaces and the case of Latin letters', () => {
  const { lines, whole } = computeFingerprints('Alpha 1\nbeta 2\n');
  expect(computeFingerprints('beta2\n\nALPHA 1')).toMatchObject({ lines });
  expect(computeFingerprints('beta2\n\nALPHA 1').whole).not.toBe(whole);
  expect(computeFingerprints('alpha 2\nbeta 1').lines).not.toBe(lines);
});
