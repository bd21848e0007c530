/**
 * The agent of the demo, on a folder in which the recorded model finds files. It is the agent of
 * examples/repository-reader.ts, built in: nothing of the user's folder is loaded, so it works in any.
 */

import { type Agent, defineAgent } from '../../agents/index.js';
import { resolvePackageFile } from '../../package/index.js';

import { fileTools, listFilesBelow } from '../../tools/builtin/index.js';

export function createDemoAgent(root: string): Agent {
  return defineAgent({
    name: 'repository_reader',
    instructions:
      'You answer questions about the repository that your tools see. Read before you answer, and name the files that support the answer.',
    model: process.env.LONGHAND_MODEL ?? 'claude-sonnet-5-5',
    strategy: 'react',
    tools: fileTools({ root }),
    limits: { steps: 15 },
  });
}

/** A folder with more files, such as a home folder, takes too long to read. */
const maxFiles = 20_000;

export interface DemoFolder {
  readonly root: string;
  /** Why it is not the current folder; null if it is. */
  readonly why: string | null;
}

/** Returns the current folder if the demo's task has an answer there, or else the folder of Longhand's examples. */
export async function chooseDemoFolder(current: string): Promise<DemoFolder> {
  const root = resolvePackageFile('examples');
  let files = 0;
  let hasTypeScript = false;
  for await (const path of listFilesBelow(current)) {
    hasTypeScript ||= path.endsWith('.ts');
    files += 1;
    if (files > maxFiles) return { root, why: 'This folder has too many files for a demo' };
  }
  return hasTypeScript ? { root: current, why: null } : { root, why: 'This folder has no TypeScript files' };
}
