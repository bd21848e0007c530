/**
 * Finds secrets that a command receives without a name: `mysql -p…`, `curl -u joe:…`, `net use … /user:joe`. `arguments.ts`
 * reads the arguments, `program-rules.ts` knows which of them are secrets.
 */

import { type CommandArgument, parseArguments } from './arguments.js';
import type { Finder, Finding } from './finding.js';
import type { NameKind } from './key-names.js';
import { findRule } from './program-rules.js';
import { isCommonWord, isPlaceholder, isSecretValue } from './secret-values.js';

const names =
  /(?<![\w.-])(?:curl|sshpass|mysql(?:dump|admin|import)?|mariadb(?:-dump|-admin)?|(?:docker|podman|registry|az|oc|helm registry) login|mongo(?:sh|dump|restore|export|import)?|redis-cli|ldap(?:search|add|modify|delete|whoami|passwd)|sqlcmd|psexec(?:64)?(?:\.exe)?|(?:un)?zip|7za?|openssl|htpasswd|net user?|https?(?= --?a)|ssh-keygen|snmp(?:walk|get|set|trap)|wmic|cmdkey|x?wl?freerdp|xfreerdp|winrs|schtasks|smbclient|lftp|sqlplus|echo|printf|setx|setenv|fastcgi_param|set(?= -)|(?:git|npm|pip) config|aws configure|config:set|(?<=(?:^|\n|\\n)[ \t]{0,20})(?:ENV|requirepass|masterauth|pre-shared-key))(?=["'\\ \t])/gi;

export const findCommandLineSecrets: Finder = (text) => {
  const findings: Finding[] = [];
  for (const match of text.matchAll(names)) {
    const apply = findRule(match[0]);
    if (apply === undefined) continue;
    const behind = match.index + match[0].length;
    const args = parseArguments(text, behind);
    for (const { argument, name, kind = name?.kind ?? 'password' } of apply(args, text, args.at(-1)?.end ?? behind)) {
      const { start, end } = argument;
      if (start < end && isSecretArgument(argument, name)) findings.push({ start, end, kind });
    }
  }
  return findings.sort((a, b) => a.start - b.start);
};

function isSecretArgument({ value, quoted }: CommandArgument, name: NameKind | undefined): boolean {
  if (name !== undefined) return isSecretValue(value, quoted ? 'quoted' : 'tight', name);
  if (isPlaceholder(value) || value.includes('\uFFFF')) return false;
  return value.length >= 3 ? !isCommonWord(value) : quoted && value.length > 1;
}
