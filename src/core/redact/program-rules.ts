/** Finds the secrets among a program's arguments, by one rule per program or family of programs. */

import { type CommandArgument, sliceArgument } from './arguments.js';
import { findSecretKind, type NameKind } from './key-names.js';

interface SecretArgument {
  readonly argument: CommandArgument;
  /** The kind by the argument's name, if it has one; it decides about the value too. */
  readonly name?: NameKind;
  /** Default: the name's kind, else `password`. */
  readonly kind?: string;
}

/** Returns the secrets among the arguments of a command; `behind` is the position after them in the text. */
type ProgramRule = (
  commandArguments: readonly CommandArgument[],
  text: string,
  behind: number,
) => readonly SecretArgument[];

const programs: Readonly<Record<string, ProgramRule>> = {
  curl: (args) => [
    ...listOptionValues(args, /^(?:-u|-U|--user|--proxy-user)$/).flatMap(({ argument }) =>
      listValuesBehindSign(argument, ':'),
    ),
    ...listOptionValues(args, /^(?:-b|--cookie)$/).flatMap(({ argument }) =>
      listValuesBehindSign(argument, '=').map((secret) => ({ ...secret, kind: 'secret' })),
    ),
  ],
  sshpass: (args) => [...listOptionValues(args, /^-p$/), ...listJoinedValues(args, '-p')],
  mysql: (args) => listJoinedValues(args, '-p'),
  mariadb: (args) => listJoinedValues(args, '-p'),
  'redis-cli': (args) => listOptionValues(args, /^-a$/),
  mongo: (args) => listOptionValues(args, /^-p$/),
  login: (args) => [...listOptionValues(args, /^-p$/), ...listJoinedValues(args, '-p')],
  ldap: (args) => listOptionValues(args, /^-w$/),
  sqlcmd: (args) => [...listOptionValues(args, /^-P$/), ...listJoinedValues(args, '-P')],
  psexec: (args) => listOptionValues(args, /^[-/]p$/i),
  zip: (args) => listOptionValues(args, /^-P$/),
  '7z': (args) => listJoinedValues(args, '-p'),
  openssl: (args) => [
    ...listOptionValues(args, /^-k$/),
    ...listOptionValues(args, /^-pass(?:in|out)?$/).flatMap(({ argument }) =>
      argument.value.startsWith('pass:') ? listValuesBehindSign(argument, ':') : [],
    ),
  ],
  rdp: (args) => ['/p:', '-p:', '/pass:', '/password:'].flatMap((option) => listJoinedValues(args, option)),
  http: (args) =>
    listOptionValues(args, /^(?:-a|--auth)$/).flatMap(({ argument }) => listValuesBehindSign(argument, ':')),
  'ssh-keygen': (args) => listOptionValues(args, /^-[NP]$/),
  snmp: (args) => listOptionValues(args, /^-[AX]$/),
  schtasks: (args) => listOptionValues(args, /^\/r?p$/i),
  smbclient: (args) =>
    listOptionValues(args, /^(?:-U|--user)$/).flatMap(({ argument }) => listValuesBehindSign(argument, '%')),
  lftp: (args) => listOptionValues(args, /^-u$/).flatMap(({ argument }) => listValuesBehindSign(argument, ',')),
  sqlplus: (args) =>
    args.slice(0, 2).flatMap((argument) => (login.exec(argument.value) === null ? [] : listLoginPasswords(argument))),
  htpasswd: (args) => {
    const rest = args.filter((_, at) => !/^-\w*C$/.test(args[at - 1]?.value ?? ''));
    const options = args
      .filter(isOption)
      .map(({ value }) => value)
      .join('');
    const [file, user, password] = rest.filter((argument) => !isOption(argument));
    if (!/^-[^-]*b|[a-zA-Z-]b/.test(options) || file === undefined || user === undefined) return [];
    // With `-n` nothing is written, so there is no file.
    const secret = /n/.test(options) ? user : password;
    return secret === undefined ? [] : [{ argument: secret }];
  },
  'net use': (args) => {
    const share = args.findIndex(({ value }) => /^\\\\/.test(value));
    const secret = share < 0 ? undefined : args.slice(share + 1).find(({ value }) => !value.startsWith('/'));
    return secret === undefined || secret.value === '*' ? [] : [{ argument: secret }];
  },
  'net user': (args) => {
    const [user, secret] = args;
    const isCommand = args.slice(2).some(({ value }) => /^\/(?:add|domain|active|expires)/i.test(value));
    return user === undefined || secret === undefined || !isCommand || /^[/*]/.test(secret.value)
      ? []
      : [{ argument: secret }];
  },
  /** Names in front of their values: `setx DB_PASSWORD …`, `git config --global http.proxy.password …`. */
  set: (args) => {
    const at = args.findIndex((argument) => !isOption(argument) && argument.value !== 'set');
    const [name, secret] = [findSecretKind(args[at]?.value.replace(/^.*\//, '') ?? ''), args[at + 1]];
    return name === null || name.field || secret === undefined ? [] : [{ argument: stripSemicolon(secret), name }];
  },
  /** In a Dockerfile all that follows the name is its value. */
  ENV: (args, text) => {
    const [first = '', secret] = [args[0]?.value, args[1]];
    const name = first.includes('=') ? null : findSecretKind(first);
    if (name === null || name.field || secret === undefined) return [];
    if (secret.quoted) return [{ argument: secret, name }];
    const value = /^(?:(?!\\n)[^\n\r"]){1,200}/.exec(text.slice(secret.start, secret.start + 200))?.[0].trimEnd() ?? '';
    return [{ argument: { ...secret, value, end: secret.start + value.length }, name }];
  },
  directive: ([held]) => (held === undefined ? [] : [{ argument: stripSemicolon(held) }]),
  /** What is written into a program that asks for a password. */
  echo: (args, text, behind) => {
    const reader = into.exec(text.slice(behind, behind + 200));
    const secret = args.at(-1);
    if (reader === null || secret === undefined) return [];
    return reader[1] === undefined ? [{ argument: secret }] : listValuesBehindSign(secret, ':');
  },
};

const into =
  /^["']?[ \t]{0,8}\|[ \t]{0,8}(?:(?:sudo[ \t]{1,4})?(chpasswd)|sudo[ \t](?=[^\n|]{0,40}-S\b)|[^\n|;]{1,150}?--(?:password-stdin|passphrase-fd|stdin)\b)/;
const login = /^[^\s/@]{1,60}\/[^\s@]{1,100}(?=@|$)/;

function listLoginPasswords(argument: CommandArgument): readonly SecretArgument[] {
  const at = argument.value.indexOf('/') + 1;
  const host = argument.value.indexOf('@');
  return [{ argument: sliceArgument(argument, at, host < 0 ? undefined : host) }];
}

function isOption({ value }: CommandArgument): boolean {
  return /^-\S/.test(value);
}

function listOptionValues(commandArguments: readonly CommandArgument[], name: RegExp): readonly SecretArgument[] {
  return commandArguments.flatMap((argument, at) => {
    const next = commandArguments[at + 1];
    if (next !== undefined && name.test(argument.value) && !argument.quoted === !isListed(argument, next))
      return isOption(next) ? [] : [{ argument: next }];
    const sign = argument.value.indexOf('=');
    return sign > 0 && name.test(argument.value.slice(0, sign))
      ? [{ argument: sliceArgument(argument, sign + 1) }]
      : [];
  });
}

/** In a list of strings options are in quotes as well. */
function isListed(argument: CommandArgument, next: CommandArgument): boolean {
  return argument.quoted && next.quoted;
}

/** `-pswordfish` */
function listJoinedValues(commandArguments: readonly CommandArgument[], option: string): readonly SecretArgument[] {
  return commandArguments.flatMap((argument) => {
    const { value } = argument;
    const isJoined = value.length > option.length && value.toLowerCase().startsWith(option.toLowerCase());
    if (!isJoined || (option.length === 2 && !value.startsWith(option))) return [];
    return [{ argument: sliceArgument(argument, option.length) }];
  });
}

/** `ada:swordfish` */
function listValuesBehindSign(argument: CommandArgument, sign: string): readonly SecretArgument[] {
  const at = argument.value.indexOf(sign);
  return at < 1 ? [] : [{ argument: sliceArgument(argument, at + 1) }];
}

/** A semicolon ends a line of some settings. */
function stripSemicolon(argument: CommandArgument): CommandArgument {
  return argument.value.endsWith(';') ? sliceArgument(argument, 0, argument.value.length - 1) : argument;
}

/** The programs by their names; those of a family have one rule. */
const families: readonly (readonly [name: RegExp, rule: string])[] = [
  [/^mysql/, 'mysql'],
  [/^https?$/, 'http'],
  [/^snmp/, 'snmp'],
  [/^mariadb/, 'mariadb'],
  [/^mongo/, 'mongo'],
  [/^ldap/, 'ldap'],
  [/ login$/, 'login'],
  [/^psexec/, 'psexec'],
  [/^(?:un)?zip$/, 'zip'],
  [/^7za?$/, '7z'],
  [/^(?:xfreerdp|wlfreerdp|winrs|wmic|cmdkey)/, 'rdp'],
  [/^printf$/, 'echo'],
  [/^(?:setx|setenv|set|fastcgi_param|git config|aws configure|config:set|npm config|pip config)$/, 'set'],
  [/^(?:requirepass|masterauth|pre-shared-key)$/, 'directive'],
];

/** The rule of a program by its name as written; undefined for an unknown one. */
export function findRule(name: string): ProgramRule | undefined {
  const program = name.toLowerCase();
  const rule = name === 'ENV' ? 'ENV' : (families.find(([family]) => family.test(program))?.[1] ?? program);
  return Object.hasOwn(programs, rule) ? programs[rule] : undefined;
}
