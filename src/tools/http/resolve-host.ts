/**
 * Looks a host up, and checks its addresses. The connection is made to one of the addresses returned here: the name is not
 * looked up again, so that DNS cannot answer with another address in between (DNS rebinding).
 */

import { lookup as lookupSystem } from 'node:dns/promises';
import { type AddressKind, classifyAddress, describeAddressKind, normalizeAddress } from './address-kind.js';
import type { CheckedUrl } from './check-url.js';
import { HttpFailure } from './failure.js';
import { permittedPrivateKinds } from './host-rules.js';

/** Returns all addresses of a host. @throws if there is no such host */
export type LookupHost = (host: string) => Promise<readonly string[]>;

/** The system's resolver: `/etc/hosts` and DNS. */
export const lookupBySystem: LookupHost = async (host) =>
  (await lookupSystem(host, { all: true, verbatim: true })).map(({ address }) => address);

/**
 * Returns the addresses, in the resolver's order. If one of them is not allowed, the host is rejected: a host with a public and
 * a private address is an attack or a mistake.
 *
 * @throws {HttpFailure} @throws the reason of the signal
 */
export async function resolveHost(
  { host, isPrivate }: CheckedUrl,
  lookup: LookupHost,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const literal = normalizeAddress(host);
  const addresses = literal === null ? await lookUp(host, lookup, signal) : [host];
  for (const address of addresses) {
    const kind = classifyAddress(address);
    if (!isAllowed(kind, isPrivate)) throw createAddressFailure(host, kind, literal !== null, isPrivate);
  }
  return addresses;
}

function isAllowed(kind: AddressKind, isPrivate: boolean): boolean {
  return kind === 'public' || (isPrivate && permittedPrivateKinds.has(kind));
}

function createAddressFailure(host: string, kind: AddressKind, isLiteral: boolean, isPrivate: boolean): HttpFailure {
  const what = `${host} ${isLiteral ? 'is' : 'has'} ${describeAddressKind(kind)}`;
  const fix = isPrivate ? 'Such addresses are never requested' : 'Only public addresses may be requested';
  return new HttpFailure('address_not_allowed', `The request was blocked: ${what}. ${fix}.`);
}

async function lookUp(host: string, lookup: LookupHost, signal: AbortSignal): Promise<readonly string[]> {
  const addresses = await withSignal(
    lookup(host).catch((): readonly string[] => []),
    signal,
  );
  if (addresses.length > 0) return addresses;
  throw new HttpFailure('host_unknown', `The host ${host} is unknown: DNS has no address of it. Check its name.`);
}

/** A lookup cannot be cancelled: it is left alone. */
function withSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
