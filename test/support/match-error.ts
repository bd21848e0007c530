/** Tests match errors by code, and by a part of the message where several failures share the code. */

import { expect } from 'vitest';
import type { ErrorCode } from '../../src/core/lib/errors.js';

export function matchError(code: ErrorCode, part: string | RegExp = ''): Error {
  const message = typeof part === 'string' ? expect.stringContaining(part) : expect.stringMatching(part);
  return expect.objectContaining({ code, message });
}
