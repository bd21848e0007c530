/**
 * Checks a URL before anything is looked up or sent.
 *
 * The URL parser repairs much: `http://0x7f.1`, `http:\\host`, tabs inside of names, full-width letters. A person or a rule that
 * reads the text then sees another host than the one that is requested. So what the parser had to repair is rejected.
 */

import ipaddr from 'ipaddr.js';
import { shorten } from '../../core/lib/index.js';
import { HttpFailure } from './failure.js';
import {
  formatHostRules,
  type HostRule,
  listFittingRules,
  listMatchingRules,
  normalizeHostName,
} from './host-rules.js';

/** A URL that may be requested, if its addresses may. */
export interface CheckedUrl {
  readonly url: URL;
  /** The host in its ASCII form, without brackets and without a dot at its end. */
  readonly host: string;
  readonly port: number;
  /** Of its scheme: 443 or 80. */
  readonly standardPort: number;
  /** Whether a rule permits private addresses of exactly this host and port. */
  readonly isPrivate: boolean;
}

const maxUrlLength = 8_192;

/** @throws {HttpFailure} */
export function checkUrl(text: string, rules: readonly HostRule[]): CheckedUrl {
  const url = parseUrl(text);
  const host = normalizeHostName(url.hostname);
  if (host === null) throw invalid(text, 'it has no valid host');
  // Equal hosts must have one text: for rules, for the certificate and for the summary.
  if (url.hostname.endsWith('.')) url.hostname = host;
  const matching = listMatchingRules(rules, host);
  if (matching.length === 0) {
    throw new HttpFailure(
      'host_not_allowed',
      `The host ${host} is not allowed. Allowed: ${shorten(formatHostRules(rules), 500)}.`,
    );
  }
  const standardPort = url.protocol === 'https:' ? 443 : 80;
  const port = url.port === '' ? standardPort : Number(url.port);
  const fitting = listFittingRules(matching, { port, standardPort });
  if (fitting.length === 0) {
    throw new HttpFailure(
      'port_not_allowed',
      `The port ${port} of ${host} is not allowed. Allowed: ${shorten(formatHostRules(matching), 500)}.`,
    );
  }
  return { url, host, port, standardPort, isPrivate: fitting.some(({ isPrivate }) => isPrivate) };
}

function parseUrl(text: string): URL {
  if (text.length > maxUrlLength) throw invalid(text, `it is longer than ${maxUrlLength} characters`);
  if (/[\s\p{Cc}\p{Cf}\\]/u.test(text)) {
    throw invalid(text, 'it contains blanks, control characters, invisible characters or backslashes; encode them');
  }
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) throw invalid(text, 'write it in full, such as https://example.com/path');
  if (scheme !== 'http' && scheme !== 'https') {
    throw new HttpFailure('scheme_not_allowed', `The scheme ${scheme} is not allowed. Use https or http.`);
  }
  const authority = /^https?:\/\/([^/?#]*)/i.exec(text)?.[1];
  if (authority === undefined) throw invalid(text, `write ${scheme}://, then the host`);
  if (authority.includes('@')) throw invalid(text, 'it contains a user name or a password; leave them out');
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw invalid(text, 'it has no valid host');
  }
  checkHostText(text, authority.replace(/:\d*$/, ''), url.hostname);
  return url;
}

/** Rejects a host that the parser had to repair: an odd form of an IP address, other letters for ASCII ones. */
function checkHostText(text: string, host: string, hostname: string): void {
  if (host.includes('%')) throw invalid(text, 'its host contains %; write the host without an encoding');
  const plain = host.toLowerCase().replace(/\.$/, '');
  const parsed = hostname.replace(/\.$/, '');
  if (plain === parsed) return;
  if (hostname.startsWith('[')) {
    const inside = plain.slice(1, -1);
    if (plain === `[${inside}]` && ipaddr.IPv6.isValid(inside)) return;
  }
  // A name in another script is written as xn--…, which no reader takes for another name.
  const isInternational = /[^\x20-\x7e]/.test(plain) && parsed.split('.').some((label) => label.startsWith('xn--'));
  if (isInternational) return;
  throw invalid(text, `its host is written in a form that hides what it is; write ${parsed}`);
}

function invalid(text: string, why: string): HttpFailure {
  // The text may contain a password.
  const safeText = shorten(text.replace(/^([^/]*\/\/)[^/?#]*@/, '$1').replace(/[\s\p{Cc}\p{Cf}]+/gu, ' '), 100);
  return new HttpFailure('url_invalid', `The URL ${JSON.stringify(safeText)} is invalid: ${why}.`);
}
