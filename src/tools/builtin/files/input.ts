/** What the file tools take as a path. */

import { z } from 'zod';

/** Node refuses zero bytes in paths with an error of its own. */
export const readable = z
  .string()
  .min(1)
  .max(4_096)
  .refine((path) => !path.includes('\0'), 'a path has no zero bytes');
