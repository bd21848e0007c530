/** Addresses of machines. Those that every machine has (loopback, masks, "any") are nobody's and stay. */

import { before, type Finder, matches } from './finding.js';

const octet = String.raw`(?:25[0-5]|2[0-4]\d|1?\d?\d)`;
const ipv4 = new RegExp(String.raw`(?<![\w.-])(?:${octet}\.){3}${octet}(?![\w-]|\.\d)`, 'g');
/** In a product, a document or a norm four numbers are a version. */
const version =
  /(?:\b(?:version|ver|release|build|section|chapter|package|oid|v)\.?["']?\s{0,2}[:=]?\s{0,2}["']?|[\w)]\/)$/i;
const common = /^(?:0\.0\.0\.0|127\.\d+\.\d+\.\d+|255\.\d+\.\d+\.\d+|::1?|0(?::0){6}:[01])$/;
const ipv6 = /(?<![\w:.-])(?=[0-9A-Fa-f]{0,4}:)[0-9A-Fa-f:]{2,39}(?:(?<=:)\d{1,3}(?:\.\d{1,3}){3})?(?![\w:]|\.\d)/g;
const mac =
  /(?<![\w:-])[0-9A-Fa-f]{2}(?:(?::[0-9A-Fa-f]{2}){5}|(?:-[0-9A-Fa-f]{2}){5})(?![\w:-])|(?<![\w.-])(?=[\d.]{0,13}[A-Fa-f])[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}(?![\w.-])/g;

export const ipAddresses: Finder = (text) =>
  [
    ...matches(text, ipv4, 'ip-address').filter(({ start }) => !version.test(before(text, start, 24))),
    ...matches(text, ipv6, 'ip-address').filter(({ start, end }) => isIpv6(text.slice(start, end))),
  ].filter(({ start, end }) => !common.test(text.slice(start, end)));

/** Eight groups, or fewer around `::`, and more than a time or a name in code has. */
function isIpv6(address: string): boolean {
  const halves = address.replace(/:\d+(?:\.\d+){3}$/, ':0:0').split('::');
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  if (halves.length > 2 || !groups.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group))) return false;
  if (halves.length === 1) return groups.length === 8;
  return groups.length < 8 && groups.join('').length > 4 && /\d/.test(address);
}

export const macAddresses: Finder = (text) => matches(text, mac, 'mac-address');
