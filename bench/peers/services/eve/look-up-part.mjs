/** The tool of eve's agent. */

import { defineTool } from 'eve/tools';
import { z } from 'zod';
import { lookUp, tool } from '../../../rig/task.ts';

export default defineTool({
  description: tool.description,
  inputSchema: z.object({ part: z.string().describe(tool.argument.description) }),
  execute: async ({ part }) => lookUp(part),
});
