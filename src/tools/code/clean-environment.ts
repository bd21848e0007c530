/**
 * The environment that commands of an agent get: the worker's, without what opens anything. A command is written by a
 * model, and what it prints is read by one.
 */

import { secretKind } from '../../core/redact/key-names.js';
import { createRedactor } from '../../core/redact/redactor.js';

export type Variables = Readonly<Record<string, string>>;

/** A word of a name that says so wherever it stands: of a guess too many a variable is missing, of one too few a key is told. */
const telling =
  /(?:keys?|tokens?|secrets?|passwords?|passwd|passphrase|pwd|credentials?|cookies?)$|^(?:pass|pw|pat|auth|creds?|jwt|dsn|private|signature|headers?)$/i;

/** Where a repository, its index or its settings are: a worker that was started by Git's hook has them of another one. */
const ofAnotherRepository = /^GIT_(?!AUTHOR_|COMMITTER_|SSH|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)$)/;

/** For output that is read as text, by nobody who could be asked. */
const unattended = {
  NO_COLOR: '1',
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
} as const;

/** @param given variables that commands are to have besides, whatever they are named */
export function cleanEnvironment(env: NodeJS.ProcessEnv, given: Variables = {}): Variables {
  const opens = opening();
  const kept = Object.entries(env).filter((entry): entry is [string, string] => {
    const [name, value] = entry;
    if (value === undefined || name === 'FORCE_COLOR' || ofAnotherRepository.test(name)) return false;
    return !opens(name, value);
  });
  return { ...Object.fromEntries(kept), ...unattended, ...given };
}

/** Tells whether a variable opens something: by its name, or by what its value looks like. */
export function opening(): (name: string, value: string) => boolean {
  const redactor = createRedactor({ kinds: ['private-key', 'api-key', 'jwt', 'token', 'password', 'secret'] });
  return (name, value) => isSecretName(name) || redactor.text(value) !== value;
}

function isSecretName(name: string): boolean {
  return (
    secretKind(name) !== null || name.split(/[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])/).some((word) => telling.test(word))
  );
}
