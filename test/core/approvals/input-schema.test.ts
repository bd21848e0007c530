/** What is said of arguments that do not fit the schema of a tool. */

import { expect, it } from 'vitest';
import { z } from 'zod';
import { problemWithInput } from '../../../src/core/approvals/input-schema.js';
import type { Json, JsonObject } from '../../../src/core/lib/json.js';

const schema = z.toJSONSchema(
  z.object({ to: z.email(), code: z.string().regex(/^\w+$/).optional(), at: z.object({ hour: z.int() }).optional() }),
) as JsonObject;

it.each<[Json, string | null]>([
  [{ to: 'ann@example.com', code: 'x1' }, null],
  [{ to: 'ann' }, 'to: String does not match format "email".'],
  [{ to: 'ann@example.com', code: '-' }, 'code: String does not match pattern.'],
  [{ to: 'ann', code: '-' }, 'to: String does not match format "email". code: String does not match pattern.'],
  [{ to: 'ann@example.com', at: { hour: 'noon' } }, 'at.hour: Instance type "string" is invalid. Expected "integer".'],
  [{}, 'Instance does not have required property "to".'],
])('%j', (input, problem) => {
  expect(problemWithInput(schema, input)).toBe(problem);
});
