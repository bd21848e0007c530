/** The variables of keys that make a provider, as sentences name them; `models/environment.ts` reads them. */

export const keyVariables: readonly string[] = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'];

/** `ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY` */
export const anyKeyVariable = `${keyVariables.slice(0, -1).join(', ')} or ${keyVariables.at(-1)}`;
