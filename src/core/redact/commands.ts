/**
 * Secrets that are given to a command where no name says so (`mysql -p…`, `curl -u joe:…`), and those in SQL and `.netrc`.
 * Each pattern begins with a word that is rare, and looks no further than its line and a bounded way.
 */

import { type Finder, matches } from './finding.js';
import { isPlaceholder } from './secret-values.js';

const forms: readonly (readonly [first: string, kind: string, form: RegExp])[] = [
  [
    'curl',
    'password',
    /\bcurl\b[^\n|]{0,300}?\s(?:-u|--user|--proxy-user)[ =]?["']?[^\s:"']{1,100}:(?<it>[^\s"']{2,200})/dg,
  ],
  ['curl', 'secret', /\bcurl\b[^\n|]{0,300}?\s(?:-b|--cookie)[ =]?(["'])[\w.-]{1,60}=(?<it>[^"'\n]{4,1000})\1/dg],
  ['sshpass', 'password', /\bsshpass\s{1,4}-p ?(["']?)(?<it>[^\s"']{3,200})\1/dg],
  ['mysql', 'password', /\bmysql(?:dump|admin|import)?\b[^\n|;&]{0,200}?\s-p(["']?)(?<it>[^\s"']{3,200})\1/dg],
  ['mariadb', 'password', /\bmariadb(?:-dump|-admin)?\b[^\n|;&]{0,200}?\s-p(["']?)(?<it>[^\s"']{3,200})\1/dg],
  [
    ' login',
    'password',
    /\b(?:docker|podman|registry|az|oc) login\b[^\n|;&]{0,200}?\s-p ?(["']?)(?<it>[^\s"']{3,200})\1/dg,
  ],
  [
    'mongo',
    'password',
    /\bmongo(?:sh|dump|restore|export|import)?\b[^\n|;&]{0,200}?\s-p (["']?)(?<it>[^\s"'-][^\s"']{2,200})\1/dg,
  ],
  ['redis-cli', 'password', /\bredis-cli\b[^\n|;&]{0,200}?\s-a (["']?)(?<it>[^\s"']{3,200})\1/dg],
  [
    'ldap',
    'password',
    /\bldap(?:search|add|modify|delete|whoami)\b[^\n|;&]{0,200}?\s-w (["']?)(?<it>[^\s"']{3,200})\1/dg,
  ],
  ['sqlcmd', 'password', /\bsqlcmd\b[^\n|;&]{0,200}?\s-P ?(["']?)(?<it>[^\s"'-][^\s"']{2,200})\1/dg],
  // ODBC's, in braces so that it may hold anything. What is a name in them is a variable.
  [
    '={',
    'password',
    /\b(?:pwd|password)=\{(?!\s?[\w.]{0,60}(?:\([^)\n]{0,40}\)|\[[^\]\n]{0,40}\])?(?:![rsa])?(?::[^}\n]{0,20})?\s?\})(?<it>(?:[^{}\n]|\}\}){4,100})\}(?=[;\s"']|$)/dgi,
  ],
  ['pass:', 'password', /\s-pass(?:in|out)? ["']?pass:(?<it>[^\s"']{3,200})/dg],
  [
    "'",
    'password',
    /\b(?:identified\s(?:with\s\w{1,30}\s)?by|with\spassword|encrypted\spassword)\s'(?<it>[^'\n]{3,200})'/dgi,
  ],
  ['login', 'password', /\blogin\s{1,4}\S{1,100}\s{1,4}password\s{1,4}(?<it>[^\s"']{3,200})/dg],
  [
    'uth',
    'password',
    /\b(?:auth\s?=\s?\(|HTTP(?:Basic|Digest)Auth\()\s?["'][^"'\n]{1,100}["'],\s?["'](?<it>[^"'\n]{3,200})["']/dg,
  ],
  ['jdbc:oracle', 'password', /\bjdbc:oracle:\w{1,10}:[^\s/@:]{1,60}\/(?<it>[^\s@/]{1,100})@/dg],
];

export const commands: Finder = (text) =>
  forms.flatMap(([first, kind, form]) =>
    text.includes(first)
      ? matches(text, form, kind).filter(({ start, end }) => !isPlaceholder(text.slice(start, end)))
      : [],
  );
