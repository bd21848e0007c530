/**
 * Reads a repository with the built-in file tools, which see the worker's current folder and nothing outside of it.
 * `npm run demo` runs this agent.
 *
 * npx longhand run repository_reader "Which three TypeScript files are the longest, and what does each do?" --module examples/repository-reader.ts
 */

import { fileTools } from '@longhand/tools';
import { defineAgent } from 'longhand';

export const repositoryReader = defineAgent({
  name: 'repository_reader',
  instructions:
    'You answer questions about the repository that your tools see. Read before you answer, and name the files that support the answer.',
  model: process.env.LONGHAND_MODEL ?? 'claude-sonnet-5-5',
  strategy: 'react',
  tools: [...fileTools({ root: process.cwd() })],
  limits: { steps: 15 },
});
