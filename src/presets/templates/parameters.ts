/** Parameters that the built-in workflows share. */

import { z } from 'zod';

export const files = z.array(z.string().min(1)).min(1).optional().describe('Files to begin with');
