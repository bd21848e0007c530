/** A prompt of an agent: instructions with a name and a version, for the agent's definition. */

import { check } from '../lib/index.js';
import type { ReactExample } from './react-example.js';

/** Which prompt an agent has. */
export interface PromptRef {
  readonly name: string;
  /** The first 12 hexadecimal digits of the SHA-256 of its file, with line ends `\n`. */
  readonly version: string;
}

/** A prompt with the values of its variables. */
export interface AgentPrompt extends PromptRef {
  /** With the values in place of the variables. */
  readonly instructions: string;
  /** Solved tasks that the model sees. */
  readonly examples: readonly ReactExample[];
}

export const checkPromptRef = check.shape<PromptRef>({ name: check.nonEmptyText, version: check.nonEmptyText });

/** Formats a prompt for people and lists: `meteorologist@3f2a9c81d04e`. */
export function formatPromptRef({ name, version }: PromptRef): string {
  return `${name}@${version}`;
}
