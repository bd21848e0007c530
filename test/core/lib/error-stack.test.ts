/** The stack of an error as lines. */

import { describe, expect, it } from 'vitest';
import { listStackLines } from '../../../src/core/lib/error-stack.js';

const mask = (text: string) => text.replaceAll('s3cret', '***');

function createError(message: string, frames: readonly string[], options: ErrorOptions = {}): Error {
  const error = new TypeError(message, options);
  error.stack = [`TypeError: ${message}`, ...frames.map((frame) => `    at ${frame}`)].join('\n');
  return error;
}

describe('the lines of a stack', () => {
  it('have the frames without the message, also if the message looks like frames', () => {
    const error = createError('no city\n    at home', ['parse (file:///app/tools.ts?v=1:3:9)', '/app/main.ts:1:1']);
    expect(listStackLines(error, { mask })).toEqual(['at parse (/app/tools.ts:3:9)', 'at /app/main.ts:1:1']);
  });

  it('end where the frames of the caller begin', () => {
    const error = createError('no', [
      'parse (/app/tools.ts:3:9)',
      'run (/lib/run-tool.js:1:1)',
      'main (/lib/a.js:1:1)',
    ]);
    expect(listStackLines(error, { mask, until: /run-tool/ })).toEqual(['at parse (/app/tools.ts:3:9)']);
  });

  it('have each cause with its frames, and of a cause without a message its code', () => {
    const refused = Object.assign(createError('', ['connect (node:net:1:1)']), { code: 'ECONNREFUSED' });
    const error = createError('no', ['a (/a.ts:1:1)'], { cause: createError('fetch failed', [], { cause: refused }) });
    const causes = [
      'Caused by TypeError: fetch failed',
      'Caused by TypeError: ECONNREFUSED',
      'at connect (node:net:1:1)',
    ];
    expect(listStackLines(error, { mask })).toEqual(['at a (/a.ts:1:1)', ...causes]);
    expect(listStackLines(error, { mask, causesOnly: true })).toEqual(causes);
  });

  it('have no secret', () => {
    const cause = createError('it was s3cret', ['get (/srv/s3cret/a.ts:1:1)']);
    const text = listStackLines(createError('s3cret', ['a (/s3cret.ts:1:1)'], { cause }), { mask }).join('\n');
    expect(text).not.toContain('s3cret');
    expect(text).toContain('Caused by TypeError: it was ***');
  });

  it('have a bounded size, and end after three causes of a circle', () => {
    const long = createError(
      'no',
      Array.from({ length: 1_000 }, (_, at) => `frame${at} (/app/tools.ts:${at}:1)`),
    );
    const lines = listStackLines(long, { mask });
    expect(lines.join('\n').length).toBeLessThanOrEqual(2_002);
    expect(lines.at(-1)).toBe('…');
    const circle = createError('round', []);
    circle.cause = circle;
    expect(listStackLines(circle, { mask })).toHaveLength(3);
  });

  it.each([
    ['a text', 'no'],
    ['an error without a stack', Object.assign(new Error('no'), { stack: undefined })],
    [
      'an error that cannot be read',
      Object.defineProperty(new Error('no'), 'stack', {
        get: () => {
          throw new Error('no');
        },
      }),
    ],
  ])('are empty for %s', (_name, error) => {
    expect(listStackLines(error, { mask })).toEqual([]);
  });
});
