/**
 * The hosts that a tool may request: parsed once, when the tool is defined.
 *
 * `api.example.com` is this host, `*.example.com` each host below it, `*` each public host; `:8443` a port. Without a port, the
 * port is that of the scheme: 443 or 80.
 */

import { classifyAddress, describeAddressKind, normalizeAddress } from './address-kind.js';

export interface HostRule {
  /** `any`: all hosts. `below`: all hosts that end in `.name`. `host`: exactly `name`. */
  readonly match: 'any' | 'below' | 'host';
  /** In lower case, in its ASCII form, without brackets. */
  readonly name: string;
  /** Null for the port of the scheme. */
  readonly port: number | null;
  /** Whether the host may have a private address, or one of this machine. */
  readonly isPrivate: boolean;
}

export type HostRules = { readonly rules: readonly HostRule[] } | { readonly problem: string };

/**
 * Parses both lists. An IP address in `allow` is a permission for this address, private or not.
 *
 * @returns the rules, or what is wrong, without a full stop
 */
export function parseHostRules(allow: readonly string[], allowPrivate: readonly string[]): HostRules {
  const parsed = [...allow.map((text) => parseRule(text, false)), ...allowPrivate.map((text) => parseRule(text, true))];
  const problem = parsed.find((result) => typeof result === 'string');
  if (typeof problem === 'string') return { problem };
  return { rules: parsed.filter((result) => typeof result !== 'string') };
}

function parseRule(text: string, isPrivate: boolean): HostRule | string {
  const list = isPrivate ? 'allowPrivate' : 'allow';
  const problem = (why: string) => `${list} contains ${JSON.stringify(text)}: ${why}`;
  const form = 'write a host, such as api.example.com, *.example.com or 127.0.0.1:4000';
  const parts = /^(\*\.)?(\*|\[[0-9a-f:.]+\]|[^\s:/?#@[\]\\%*]+)(?::(\d{1,5}))?$/iu.exec(text);
  if (parts === null) return problem(form);
  const [, below, host = '', portText] = parts;
  const port = portText === undefined ? null : Number(portText);
  if (port !== null && (port < 1 || port > 65_535)) return problem('a port is a number from 1 to 65535');
  if (host === '*') {
    if (below !== undefined) return problem(form);
    return isPrivate ? problem('name each host') : { match: 'any', name: '*', port, isPrivate };
  }
  const name = toHostName(host);
  if (name === null) return problem(form);
  const address = normalizeAddress(name);
  if (address !== null) {
    // The form that the URL parser writes, too: `127.1` would match nothing that its author meant.
    if (below !== undefined || name !== host.toLowerCase().replace(/^\[|\]$/g, '')) return problem(form);
    const kind = classifyAddress(name);
    if (kind !== 'public' && !permittedPrivateKinds.has(kind))
      return problem(`it is ${describeAddressKind(kind)}, which no tool may request`);
    return { match: 'host', name, port, isPrivate: kind !== 'public' };
  }
  if (below === undefined) return { match: 'host', name, port, isPrivate };
  if (isPrivate) return problem('name each host');
  return name.includes('.') ? { match: 'below', name, port, isPrivate } : problem("write '*' for each public host");
}

/** Kinds of addresses that a permission may cover. The others give credentials away or are no hosts. */
export const permittedPrivateKinds: ReadonlySet<string> = new Set(['private', 'loopback'] as const);

/** Returns the name as the URL parser writes it, without brackets and the dot at its end; null if it is invalid. */
function toHostName(host: string): string | null {
  try {
    return normalizeHostName(new URL(`http://${host}/`).hostname);
  } catch {
    return null;
  }
}

/** @param hostname of a parsed URL */
export function normalizeHostName(hostname: string): string | null {
  const name = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return name === '' || name.split('.').includes('') ? null : name;
}

/** Returns the rules that match the name, for any port. */
export function listMatchingRules(rules: readonly HostRule[], name: string): readonly HostRule[] {
  return rules.filter((rule) => {
    if (rule.match === 'any') return true;
    return rule.match === 'host' ? rule.name === name : name.endsWith(`.${rule.name}`);
  });
}

/** Returns the rules of these that permit the port. */
export function listFittingRules(
  rules: readonly HostRule[],
  { port, standardPort }: { readonly port: number; readonly standardPort: number },
): readonly HostRule[] {
  return rules.filter((rule) => port === (rule.port ?? standardPort));
}

/** Formats the rules for the model: `api.example.com, *.example.org:8443`. */
export function formatHostRules(rules: readonly HostRule[]): string {
  return rules.map(formatHostRule).join(', ');
}

function formatHostRule({ match, name, port }: HostRule): string {
  const host = name.includes(':') ? `[${name}]` : name;
  const hostText = match === 'any' ? 'any public host' : match === 'below' ? `*.${host}` : host;
  return port === null ? hostText : `${hostText}:${port}`;
}
