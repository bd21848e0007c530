/** Which arguments of a program are secrets: one rule for each program or family of programs. */

import { type Argument, partOf } from './arguments.js';
import { type NameKind, secretKind } from './key-names.js';

interface Secret {
  readonly argument: Argument;
  /** Where a name says what it is: that decides on its value too. */
  readonly name?: NameKind;
  /** A password, unless this or the name says otherwise. */
  readonly kind?: string;
}

/** The secrets among the arguments of a command; what follows them in the text where it matters. */
type Rule = (given: readonly Argument[], text: string, behind: number) => readonly Secret[];

const programs: Readonly<Record<string, Rule>> = {
  curl: (given) => [
    ...optionOf(given, /^(?:-u|-U|--user|--proxy-user)$/).flatMap(({ argument }) => behindSign(argument, ':')),
    ...optionOf(given, /^(?:-b|--cookie)$/).flatMap(({ argument }) =>
      behindSign(argument, '=').map((secret) => ({ ...secret, kind: 'secret' })),
    ),
  ],
  sshpass: (given) => [...optionOf(given, /^-p$/), ...joinedTo(given, '-p')],
  mysql: (given) => joinedTo(given, '-p'),
  mariadb: (given) => joinedTo(given, '-p'),
  'redis-cli': (given) => optionOf(given, /^-a$/),
  mongo: (given) => optionOf(given, /^-p$/),
  login: (given) => [...optionOf(given, /^-p$/), ...joinedTo(given, '-p')],
  ldap: (given) => optionOf(given, /^-w$/),
  sqlcmd: (given) => [...optionOf(given, /^-P$/), ...joinedTo(given, '-P')],
  psexec: (given) => optionOf(given, /^[-/]p$/i),
  zip: (given) => optionOf(given, /^-P$/),
  '7z': (given) => joinedTo(given, '-p'),
  openssl: (given) => [
    ...optionOf(given, /^-k$/),
    ...optionOf(given, /^-pass(?:in|out)?$/).flatMap(({ argument }) =>
      argument.value.startsWith('pass:') ? behindSign(argument, ':') : [],
    ),
  ],
  rdp: (given) => ['/p:', '-p:', '/pass:', '/password:'].flatMap((option) => joinedTo(given, option)),
  http: (given) => optionOf(given, /^(?:-a|--auth)$/).flatMap(({ argument }) => behindSign(argument, ':')),
  'ssh-keygen': (given) => optionOf(given, /^-[NP]$/),
  snmp: (given) => optionOf(given, /^-[AX]$/),
  schtasks: (given) => optionOf(given, /^\/r?p$/i),
  smbclient: (given) => optionOf(given, /^(?:-U|--user)$/).flatMap(({ argument }) => behindSign(argument, '%')),
  lftp: (given) => optionOf(given, /^-u$/).flatMap(({ argument }) => behindSign(argument, ',')),
  sqlplus: (given) =>
    given.slice(0, 2).flatMap((argument) => (login.exec(argument.value) === null ? [] : loginPassword(argument))),
  htpasswd: (given) => {
    const rest = given.filter((_, at) => !/^-\w*C$/.test(given[at - 1]?.value ?? ''));
    const options = given
      .filter(isOption)
      .map(({ value }) => value)
      .join('');
    const [file, user, password] = rest.filter((argument) => !isOption(argument));
    if (!/^-[^-]*b|[a-zA-Z-]b/.test(options) || file === undefined || user === undefined) return [];
    // With `-n` nothing is written, so there is no file.
    const held = /n/.test(options) ? user : password;
    return held === undefined ? [] : [{ argument: held }];
  },
  'net use': (given) => {
    const share = given.findIndex(({ value }) => /^\\\\/.test(value));
    const held = share < 0 ? undefined : given.slice(share + 1).find(({ value }) => !value.startsWith('/'));
    return held === undefined || held.value === '*' ? [] : [{ argument: held }];
  },
  'net user': (given) => {
    const [user, held] = given;
    const isCommand = given.slice(2).some(({ value }) => /^\/(?:add|domain|active|expires)/i.test(value));
    return user === undefined || held === undefined || !isCommand || /^[/*]/.test(held.value)
      ? []
      : [{ argument: held }];
  },
  /** Names in front of their values: `setx DB_PASSWORD …`, `git config --global http.proxy.password …`. */
  set: (given) => {
    const at = given.findIndex((argument) => !isOption(argument) && argument.value !== 'set');
    const [name, held] = [secretKind(given[at]?.value.replace(/^.*\//, '') ?? ''), given[at + 1]];
    return name === null || name.field || held === undefined ? [] : [{ argument: unended(held), name }];
  },
  /** In a Dockerfile all that follows the name is its value. */
  ENV: (given, text) => {
    const [first = '', held] = [given[0]?.value, given[1]];
    const name = first.includes('=') ? null : secretKind(first);
    if (name === null || name.field || held === undefined) return [];
    if (held.quoted) return [{ argument: held, name }];
    const value = /^(?:(?!\\n)[^\n\r"]){1,200}/.exec(text.slice(held.start, held.start + 200))?.[0].trimEnd() ?? '';
    return [{ argument: { ...held, value, end: held.start + value.length }, name }];
  },
  directive: ([held]) => (held === undefined ? [] : [{ argument: unended(held) }]),
  /** What is written into a program that asks for a password. */
  echo: (given, text, behind) => {
    const reader = into.exec(text.slice(behind, behind + 200));
    const held = given.at(-1);
    if (reader === null || held === undefined) return [];
    return reader[1] === undefined ? [{ argument: held }] : behindSign(held, ':');
  },
};

const into =
  /^["']?[ \t]{0,8}\|[ \t]{0,8}(?:(?:sudo[ \t]{1,4})?(chpasswd)|sudo[ \t](?=[^\n|]{0,40}-S\b)|[^\n|;]{1,150}?--(?:password-stdin|passphrase-fd|stdin)\b)/;
const login = /^[^\s/@]{1,60}\/[^\s@]{1,100}(?=@|$)/;

function loginPassword(argument: Argument): readonly Secret[] {
  const at = argument.value.indexOf('/') + 1;
  const host = argument.value.indexOf('@');
  return [{ argument: partOf(argument, at, host < 0 ? undefined : host) }];
}

function isOption({ value }: Argument): boolean {
  return /^-\S/.test(value);
}

function optionOf(given: readonly Argument[], name: RegExp): readonly Secret[] {
  return given.flatMap((argument, at) => {
    const next = given[at + 1];
    if (next !== undefined && name.test(argument.value) && !argument.quoted === !isListed(argument, next))
      return isOption(next) ? [] : [{ argument: next }];
    const sign = argument.value.indexOf('=');
    return sign > 0 && name.test(argument.value.slice(0, sign)) ? [{ argument: partOf(argument, sign + 1) }] : [];
  });
}

/** In a list of strings options are in quotes as well. */
function isListed(argument: Argument, next: Argument): boolean {
  return argument.quoted && next.quoted;
}

/** `-pswordfish` */
function joinedTo(given: readonly Argument[], option: string): readonly Secret[] {
  return given.flatMap((argument) => {
    const { value } = argument;
    const isJoined = value.length > option.length && value.toLowerCase().startsWith(option.toLowerCase());
    if (!isJoined || (option.length === 2 && !value.startsWith(option))) return [];
    return [{ argument: partOf(argument, option.length) }];
  });
}

/** `ada:swordfish` */
function behindSign(argument: Argument, sign: string): readonly Secret[] {
  const at = argument.value.indexOf(sign);
  return at < 1 ? [] : [{ argument: partOf(argument, at + 1) }];
}

/** A semicolon ends a line of some settings. */
function unended(argument: Argument): Argument {
  return argument.value.endsWith(';') ? partOf(argument, 0, argument.value.length - 1) : argument;
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
export function ruleOf(name: string): Rule | undefined {
  const program = name.toLowerCase();
  const rule = name === 'ENV' ? 'ENV' : (families.find(([family]) => family.test(program))?.[1] ?? program);
  return Object.hasOwn(programs, rule) ? programs[rule] : undefined;
}
