/** Finds e-mail addresses, from their `@` outwards, and network addresses. */

import { blank, type Finder, type Finding, findMatches, getTextBefore, getWordStart } from './finding.js';

/** In a URL the sign is written `%40`. */
const signs = /@|%40/g;
const longestLocal = 64;
/** `"jane doe"@example.com`: in JSON and code a quote before a sign is mostly another's. */
const quoted = /(?:^|[\s<(:;,=])(?<it>\\?"[A-Za-z0-9][^"\n:;,{}[\]\\]{0,60}[A-Za-z0-9]\\?")$/d;
const local = /[A-Za-z0-9._%+'\u00C0-\u024F\u0370-\u052F-]/;
const domain =
  /(?:[A-Za-z0-9\u00C0-\u024F\u0370-\u052F-]{1,63}\.){1,8}(?:xn--[A-Za-z0-9-]{2,59}|[A-Za-z\u00C0-\u024F\u0370-\u052F]{2,24})(?![A-Za-z0-9_])/y;
/** File endings that look like a top-level domain, as in `icon@2x.png` and in package names. */
const fileEnding =
  /\.(?:png|jpe?g|gif|svg|webp|ico|js|mjs|cjs|ts|tsx|jsx|css|scss|html|json|lock|txt|ya?ml|toml|tgz|gz|zip|exe|dll|local)$/i;
/** Accounts of a service, not of a person: `git@github.com:owner/repository`. */
const service = /^(?:git|hg|svn)$/i;

export const findEmails: Finder = (text) => {
  const findings: Finding[] = [];
  for (const { 0: sign, index } of text.matchAll(signs)) {
    const start = findLocalStart(text, index, findings.at(-1)?.end ?? 0);
    if (start === null) continue;
    domain.lastIndex = index + sign.length;
    const host = domain.exec(text)?.[0];
    if (host === undefined || /(?:^|\.)-|-\.|-$/.test(host) || fileEnding.test(host)) continue;
    const end = index + sign.length + host.length;
    // As in `scp file root@host.example:/path`.
    if (text[end] === '@' || text[end] === blank || /^:[/~]/.test(text.slice(end, end + 2))) continue;
    findings.push({ start, end, kind: 'email' });
  }
  return findings;
};

function findLocalStart(text: string, at: number, least: number): number | null {
  if (text[at - 1] === '"') {
    const from = Math.max(least, at - longestLocal - 4);
    const inQuotes = quoted.exec(text.slice(from, at))?.indices?.groups?.it;
    return inQuotes === undefined || text.slice(from, at).includes(blank) ? null : from + inQuotes[0];
  }
  let start = at;
  while (start > Math.max(least, at - longestLocal - 1) && local.test(text[start - 1] ?? '')) start -= 1;
  if (at - start > longestLocal || text[start - 1] === '@' || text[start - 1] === blank) return null;
  start = getWordStart(text, start);
  while (start < at && /[.'%+-]/.test(text[start] ?? '')) start += 1;
  const name = text.slice(start, at);
  if (name === '' || name.endsWith('.') || service.test(name) || text.slice(Math.max(0, start - 3), start) === '://')
    return null;
  return start;
}

const octet = String.raw`(?:25[0-5]|2[0-4]\d|1?\d?\d)`;
const ipv4 = new RegExp(String.raw`(?<![\w.-])(?:${octet}\.){3}${octet}(?![\w-]|\.\d)`, 'g');
/** In a product, a document or a norm four numbers are a version. */
const version =
  /(?:\b(?:version|ver|release|build|section|chapter|package|oid|v)\.?["']?\s{0,2}[:=]?\s{0,2}["']?|[\w)]\/)$/i;
const common = /^(?:0\.0\.0\.0|127\.\d+\.\d+\.\d+|255\.\d+\.\d+\.\d+|::1?|0(?::0){6}:[01])$/;
const ipv6 = /(?<![\w:.-])(?=[0-9A-Fa-f]{0,4}:)[0-9A-Fa-f:]{2,39}(?:(?<=:)\d{1,3}(?:\.\d{1,3}){3})?(?![\w:]|\.\d)/g;
const mac =
  /(?<![\w:-])[0-9A-Fa-f]{2}(?:(?::[0-9A-Fa-f]{2}){5}|(?:-[0-9A-Fa-f]{2}){5})(?![\w:-])|(?<![\w.-])(?=[\d.]{0,13}[A-Fa-f])[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}(?![\w.-])/g;

/** Finds addresses of machines, but not those of every machine (loopback, masks, "any"). */
export const findIpAddresses: Finder = (text) =>
  [
    ...findMatches(text, ipv4, 'ip-address').filter(({ start }) => !version.test(getTextBefore(text, start, 24))),
    ...findMatches(text, ipv6, 'ip-address').filter(({ start, end }) => isIpv6(text.slice(start, end))),
  ].filter(({ start, end }) => !common.test(text.slice(start, end)));

/** Eight groups, or fewer around `::`, and more than a time or a name in code has. */
function isIpv6(address: string): boolean {
  const halves = address.replace(/:\d+(?:\.\d+){3}$/, ':0:0').split('::');
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  if (halves.length > 2 || !groups.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group))) return false;
  if (halves.length === 1) return groups.length === 8;
  return groups.length < 8 && groups.join('').length > 4 && /\d/.test(address);
}

export const findMacAddresses: Finder = (text) => findMatches(text, mac, 'mac-address');
