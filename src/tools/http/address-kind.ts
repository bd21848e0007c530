/**
 * What an IP address is for. Only public addresses may be requested without a permission of their own.
 *
 * A list of forbidden ranges forgets the next one. So an address is public only if the registry lists it as such, and for IPv6
 * only within 2000::/3. Addresses that carry an IPv4 address are judged by it, or are not public.
 */

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type AddressKind =
  | 'public'
  /** 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16; fc00::/7; 100.64.0.0/10, which carriers and clouds share. */
  | 'private'
  | 'loopback'
  | 'link_local'
  /** A cloud's metadata service, which gives credentials to each process of the machine. */
  | 'metadata'
  | 'multicast'
  | 'unspecified'
  | 'reserved';

/** Metadata services outside of link-local ranges: Azure, Alibaba, Oracle, AWS and Google on IPv6. */
const metadataAddresses: ReadonlySet<string> = new Set([
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
]);

const metadataLinkLocal: ReadonlySet<string> = new Set(['169.254.169.254', '169.254.170.2', '169.254.170.23']);

const kindByRange: { readonly [range: string]: AddressKind } = {
  unicast: 'public',
  private: 'private',
  uniqueLocal: 'private',
  carrierGradeNat: 'private',
  loopback: 'loopback',
  linkLocal: 'link_local',
  multicast: 'multicast',
  broadcast: 'multicast',
  unspecified: 'unspecified',
};

/** Classifies an address in its standard form; `reserved` for a text that is no address. */
export function classifyAddress(address: string): AddressKind {
  // The parser takes odd forms, such as 0x7f.1, that others may read in another way.
  if (isIP(address) === 0) return 'reserved';
  const parsed = ipaddr.parse(address);
  return parsed instanceof ipaddr.IPv6 ? classifyIpv6(parsed) : classifyIpv4(parsed as ipaddr.IPv4);
}

function classifyIpv4(address: ipaddr.IPv4): AddressKind {
  const text = address.toString();
  if (metadataAddresses.has(text) || metadataLinkLocal.has(text)) return 'metadata';
  return kindByRange[address.range()] ?? 'reserved';
}

function classifyIpv6(address: ipaddr.IPv6): AddressKind {
  // A zone names an interface of this machine.
  if (address.zoneId !== undefined) return 'link_local';
  if (metadataAddresses.has(address.toString())) return 'metadata';
  if (address.isIPv4MappedAddress()) return classifyIpv4(address.toIPv4Address());
  const range = address.range();
  // NAT64, as DNS64 returns it on networks without IPv4.
  if (range === 'rfc6052') return isWellKnownNat64(address) ? classifyIpv4(readLastIpv4(address)) : 'reserved';
  const kind = kindByRange[range] ?? 'reserved';
  if (kind !== 'public') return kind;
  const [first = 0] = address.parts;
  if (first < 0x2000 || first > 0x3fff) return 'reserved';
  // ISATAP: a tunnel to the IPv4 address in the last 32 bits.
  const isTunnel = (address.parts[4]! & 0xfdff) === 0 && address.parts[5] === 0x5efe;
  return isTunnel ? 'reserved' : 'public';
}

function isWellKnownNat64(address: ipaddr.IPv6): boolean {
  const [a, b, c, d, e, f] = address.parts;
  return a === 0x64 && b === 0xff9b && c === 0 && d === 0 && e === 0 && f === 0;
}

function readLastIpv4(address: ipaddr.IPv6): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}

/** Returns an address in the one form in which equal addresses are equal texts; null for no address. */
export function normalizeAddress(address: string): string | null {
  return isIP(address) === 0 ? null : ipaddr.process(address).toString();
}

/** Formats a kind for a message: `a private address`. */
export function describeAddressKind(kind: AddressKind): string {
  const texts: { readonly [known in AddressKind]: string } = {
    public: 'a public address',
    private: 'a private address',
    loopback: 'an address of this machine (loopback)',
    link_local: 'a link-local address',
    metadata: "the address of a cloud's metadata service",
    multicast: 'a multicast or broadcast address',
    unspecified: 'an unspecified address',
    reserved: 'a reserved address',
  };
  return texts[kind];
}
