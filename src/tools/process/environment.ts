/**
 * The environment of commands: only the worker's variables that commands usually need. A model writes the commands, or reads
 * their output, so variables are passed only if they are listed.
 */

import { createRedactor, findSecretKind } from '../../core/redact/index.js';

export type CommandVariables = Readonly<Record<string, string>>;

/** Names of variables for commands, in groups: user and folders, language, builds, network, Git, Windows. */
const passedNames = new Set(
  `PATH HOME USER LOGNAME SHELL TMPDIR TMP TEMP XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_STATE_HOME
  LANG LANGUAGE TZ
  CI NODE_ENV NVM_DIR NVM_BIN VOLTA_HOME FNM_DIR ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR PNPM_HOME COREPACK_HOME BUN_INSTALL
  JAVA_HOME JDK_HOME MAVEN_HOME GRADLE_HOME GRADLE_USER_HOME ANDROID_HOME ANDROID_SDK_ROOT GOPATH GOROOT GOCACHE GOMODCACHE
  CARGO_HOME RUSTUP_HOME PYENV_ROOT VIRTUAL_ENV CONDA_PREFIX POETRY_HOME RBENV_ROOT GEM_HOME GEM_PATH COMPOSER_HOME
  DOTNET_ROOT NUGET_PACKAGES CC CXX CFLAGS CXXFLAGS LDFLAGS MAKEFLAGS PKG_CONFIG_PATH LD_LIBRARY_PATH PLAYWRIGHT_BROWSERS_PATH
  HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE
  GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM
  GIT_CONFIG_NOSYSTEM GIT_SSL_CAINFO
  SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT USERPROFILE USERNAME HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA
  PROGRAMFILES`.split(/\s+/),
);

/** A word in a name that marks a secret. A false positive hides a harmless value; a false negative shows a key. */
const secretWord =
  /(?:keys?|tokens?|secrets?|passwords?|passwd|passphrase|pwd|credentials?|cookies?)$|^(?:pass|pw|otp|pin|session|pat|auth|creds?|jwt|dsn|private|signature|headers?)$/i;

/** For plain output without prompts. */
const nonInteractive = {
  NO_COLOR: '1',
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
} as const;

interface ExtraVariables {
  /** Names of additional variables of the worker. */
  readonly names?: readonly string[];
  /** Additional variables with their values. */
  readonly given?: CommandVariables;
}

/** Returns the variables of a command. A usual variable with a secret value is omitted, unless it is named. */
export function createCommandEnvironment(
  env: NodeJS.ProcessEnv,
  { names = [], given = {} }: ExtraVariables = {},
): CommandVariables {
  const isSecret = createSecretDetector();
  const usual = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isUsual(name) && !isSecret(name, value) ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(usual), ...nonInteractive, ...pickVariables(env, names), ...given };
}

function isUsual(name: string): boolean {
  // Proxies are also written in lower case, and Windows does not distinguish.
  const upper = name.toUpperCase();
  return passedNames.has(upper) || upper.startsWith('LC_');
}

/** Returns the variables with these names that are set. */
export function pickVariables(env: NodeJS.ProcessEnv, names: readonly string[]): CommandVariables {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/** Creates a function that returns whether a variable is a credential, by its name or its value. */
export function createSecretDetector(): (name: string, value: string) => boolean {
  const redactor = createRedactor({ kinds: ['private-key', 'api-key', 'jwt', 'token', 'password', 'secret'] });
  return (name, value) => isSecretName(name) || redactor.text(value) !== value;
}

function isSecretName(name: string): boolean {
  return (
    findSecretKind(name) !== null ||
    name.split(/[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])/).some((word) => secretWord.test(word))
  );
}
