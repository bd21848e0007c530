/**
 * Attacks on the HTTP tools by a model, a page or a server: no request reaches a host or an address that is not allowed. A service
 * on loopback plays the inner network; each attack tries to reach it. What is blocked has a reason, without an address that DNS
 * returned.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchPageTool, httpRequestTool } from '../../../src/entries/tools.js';
import { contextOf } from '../../support/call-tool.js';
import { lookupIn, respond, type Site, startSite } from '../../support/http-site.js';

let inner: Site;
beforeAll(async () => {
  inner = await startSite(respond(200, 'text/plain', 'credentials of the inner network'));
});
afterAll(() => inner.close());

const { lookup } = lookupIn({
  localhost: ['127.0.0.1', '::1'],
  'inner.test': ['127.0.0.1'],
  'inner-v6.test': ['::1'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'mapped-hex.test': ['::ffff:7f00:1'],
  'nat64.test': ['64:ff9b::7f00:1'],
  'six-to-four.test': ['2002:7f00:1::'],
  'isatap.test': ['2001:4860::5efe:7f00:1'],
  'private.test': ['10.1.2.3'],
  'mixed.test': ['93.184.216.34', '127.0.0.1'],
  'mixed-v6.test': ['2606:2800:220:1::1', 'fd00::1'],
  'zone.test': ['fe80::1%eth0'],
  'odd.test': ['0x7f.1'],
  'metadata.google.internal': ['169.254.169.254'],
  'empty.test': [],
});

/** Parts of addresses that DNS returned. */
const secretAddresses = ['127.0.0.1', '10.1.2.3', '169.254.169.254', 'fd00::1', '64:ff9b', '7f00:1'];

/** Requests what an attacker wrote, with both tools. */
async function attack(url: string): Promise<readonly string[]> {
  const allow = ['*', `*:${inner.port}`];
  const tools = [httpRequestTool({ allow, lookup }), fetchPageTool({ allow, lookup })];
  return await Promise.all(
    tools.map(async (tool) => {
      const error = await Promise.resolve(tool.parse({ url })(contextOf())).then(
        (value) => new Error(`returned ${JSON.stringify(value)}`),
        (thrown: unknown) => thrown as Error,
      );
      return `${error.name}: ${error.message}`;
    }),
  );
}

/** Attacks of a URL, with PORT for that of the inner service, and the reason that is shown. */
const attacks: readonly (readonly [attack: string, url: string, reason: RegExp])[] = [
  ['loopback', 'http://127.0.0.1:PORT/', /loopback/],
  ['another address of loopback', 'http://127.8.8.8:PORT/', /loopback/],
  ['localhost', 'http://localhost:PORT/', /loopback/],
  ['a name below localhost', 'http://x.localhost:PORT/', /unknown/],
  ['loopback with a dot at its end', 'http://127.0.0.1.:PORT/', /loopback/],
  ['a decimal address', 'http://2130706433:PORT/', /hides what it is/],
  ['a hexadecimal address', 'http://0x7f000001:PORT/', /hides what it is/],
  ['a hexadecimal part', 'http://0x7f.0.0.1:PORT/', /hides what it is/],
  ['an octal part', 'http://0177.0.0.1:PORT/', /hides what it is/],
  ['octal parts with zeros', 'http://00000177.00.00.01:PORT/', /hides what it is/],
  ['a short address', 'http://127.1:PORT/', /hides what it is/],
  ['a zero', 'http://0:PORT/', /hides what it is/],
  ['the unspecified address', 'http://0.0.0.0:PORT/', /unspecified/],
  ['full-width digits', 'http://１２７.０.０.１:PORT/', /hides what it is/],
  ['circled digits', 'http://①②⑦.⓪.⓪.①:PORT/', /hides what it is/],
  ['ideographic dots', 'http://127。0。0。1:PORT/', /hides what it is/],
  ['percent-encoded digits', 'http://%31%32%37.0.0.1:PORT/', /contains %/],
  ['an encoded dot', 'http://127%2e0%2e0%2e1:PORT/', /contains %/],
  ['a tab inside', 'http://127.0\t.0.1:PORT/', /control characters/],
  ['a line break inside', 'http://127.0.0\n.1:PORT/', /control characters/],
  ['a blank before', ' http://127.0.0.1:PORT/', /blanks/],
  ['a zero-width character', 'http://127.0.0.1\u200b:PORT/', /invisible/],
  ['a soft hyphen', 'http://local\u00adhost:PORT/', /invisible/],
  ['backslashes', 'http:\\\\127.0.0.1:PORT\\', /backslashes/],
  ['a backslash before @', 'http://good.test\\@127.0.0.1:PORT/', /backslashes/],
  ['no slashes', 'http:127.0.0.1:PORT/', /write http:\/\//],
  ['three slashes', 'http:///127.0.0.1:PORT/', /hides|no valid host/],
  ['no scheme', '//127.0.0.1:PORT/', /in full/],
  ['a user name', 'http://good.test@127.0.0.1:PORT/', /user name/],
  ['a password', 'http://a:hunter22@127.0.0.1:PORT/', /user name/],
  ['an encoded @', 'http://good.test%40127.0.0.1:PORT/', /contains %|no valid host/],
  ['IPv6 loopback', 'http://[::1]:PORT/', /loopback/],
  ['IPv6 loopback in full', 'http://[0:0:0:0:0:0:0:1]:PORT/', /loopback/],
  ['IPv6 unspecified', 'http://[::]:PORT/', /unspecified/],
  ['an IPv4-mapped address', 'http://[::ffff:127.0.0.1]:PORT/', /loopback/],
  ['an IPv4-mapped address in hexadecimal', 'http://[::ffff:7f00:1]:PORT/', /loopback/],
  ['an IPv4-compatible address', 'http://[::127.0.0.1]:PORT/', /loopback|reserved/],
  ['an IPv4-translated address', 'http://[::ffff:0:127.0.0.1]:PORT/', /reserved/],
  ['NAT64', 'http://[64:ff9b::7f00:1]:PORT/', /loopback/],
  ['local NAT64', 'http://[64:ff9b:1::7f00:1]:PORT/', /reserved/],
  ['6to4', 'http://[2002:7f00:1::]:PORT/', /reserved/],
  ['Teredo', 'http://[2001:0:7f00:1::]:PORT/', /reserved/],
  ['ISATAP', 'http://[2001:4860::5efe:7f00:1]:PORT/', /reserved/],
  ['a zone id', 'http://[fe80::1%25eth0]:PORT/', /no valid host/],
  ['IPv6 link-local', 'http://[fe80::1]:PORT/', /link-local/],
  ['IPv6 unique local', 'http://[fc00::1]:PORT/', /private/],
  ['IPv6 multicast', 'http://[ff02::1]:PORT/', /multicast/],
  ['IPv6 documentation', 'http://[2001:db8::1]:PORT/', /reserved/],
  ['IPv6 outside of the assigned space', 'http://[4000::1]:PORT/', /reserved/],
  ['10.0.0.0/8', 'http://10.0.0.1:PORT/', /private/],
  ['172.16.0.0/12', 'http://172.31.255.255:PORT/', /private/],
  ['192.168.0.0/16', 'http://192.168.0.1:PORT/', /private/],
  ['a shared address', 'http://100.64.0.1:PORT/', /private/],
  ['a benchmark address', 'http://198.18.0.1:PORT/', /reserved/],
  ['a documentation address', 'http://192.0.2.1:PORT/', /reserved/],
  ['multicast', 'http://224.0.0.1:PORT/', /multicast/],
  ['broadcast', 'http://255.255.255.255:PORT/', /broadcast/],
  ['a future address', 'http://240.0.0.1:PORT/', /reserved/],
  ['the metadata service', 'http://169.254.169.254/latest/meta-data/', /metadata/],
  ['the metadata service of containers', 'http://169.254.170.2/', /metadata/],
  ['the metadata service of Azure', 'http://168.63.129.16/', /metadata/],
  ['the metadata service of Alibaba', 'http://100.100.100.200/', /metadata/],
  ['the metadata service of Oracle', 'http://192.0.0.192/', /metadata/],
  ['the metadata service on IPv6', 'http://[fd00:ec2::254]/', /metadata/],
  ['the metadata service by name', 'http://metadata.google.internal/', /metadata/],
  ['a name with a loopback address', 'http://inner.test:PORT/', /loopback/],
  ['a name with a dot at its end', 'http://inner.test.:PORT/', /loopback/],
  ['a name in capitals', 'http://INNER.TEST:PORT/', /loopback/],
  ['a name with an IPv6 address', 'http://inner-v6.test:PORT/', /loopback/],
  ['a name with a mapped address', 'http://mapped.test:PORT/', /loopback/],
  ['a name with a mapped address in hexadecimal', 'http://mapped-hex.test:PORT/', /loopback/],
  ['a name with a NAT64 address', 'http://nat64.test:PORT/', /loopback/],
  ['a name with a 6to4 address', 'http://six-to-four.test:PORT/', /reserved/],
  ['a name with an ISATAP address', 'http://isatap.test:PORT/', /reserved/],
  ['a name with a private address', 'http://private.test:PORT/', /private/],
  ['a name with a public and a loopback address', 'http://mixed.test:PORT/', /loopback/],
  ['a name with a public and a private address', 'http://mixed-v6.test:PORT/', /private/],
  ['a name with an address that has a zone', 'http://zone.test:PORT/', /link-local/],
  ['a name with an odd address', 'http://odd.test:PORT/', /reserved/],
  ['a name without an address', 'http://empty.test:PORT/', /unknown/],
  ['two dots at the end', 'http://inner.test..:PORT/', /no valid host/],
  ['a port that is not allowed', 'http://inner.test:22/', /port 22/],
  ['port 0', 'http://inner.test:0/', /port 0/],
  ['another scheme: file', 'file:///etc/passwd', /scheme file/],
  ['another scheme: ftp', 'ftp://127.0.0.1/', /scheme ftp/],
  ['another scheme: gopher', 'gopher://127.0.0.1:PORT/_GET', /scheme gopher/],
  ['another scheme: data', 'data:text/html,hello', /scheme data/],
  ['another scheme: ws', 'ws://127.0.0.1:PORT/', /scheme ws/],
  ['another scheme: javascript', 'javascript:alert(1)', /scheme javascript/],
  ['another scheme: jar', 'jar:http://127.0.0.1!/', /scheme jar/],
  ['an endless URL', `http://inner.test:PORT/${'a'.repeat(10_000)}`, /longer than/],
];

describe('no attack by a URL reaches the inner network', () => {
  it.each(attacks)('%s', async (_name, written, reason) => {
    const url = written.replaceAll('PORT', String(inner.port));
    for (const message of await attack(url)) {
      expect(message).toMatch(reason);
      expect(message).not.toContain('hunter22');
      // An odd form is answered by the address that it hides: the model wrote it.
      // Of a name, the addresses are known to DNS alone.
      if (/:\/\/[a-z][a-z0-9-]*\./i.test(url))
        for (const address of secretAddresses.filter((each) => !url.includes(each)))
          expect(message).not.toContain(address);
    }
    expect(inner.requests).toEqual([]);
  });
});

/** Hosts that look like an allowed one. */
const lookalikes: readonly (readonly [allow: string, url: string, reason: RegExp])[] = [
  ['api.example.com', 'https://api.example.com.evil.test/', /not allowed/],
  ['api.example.com', 'https://evil-api.example.com/', /not allowed/],
  ['api.example.com', 'https://evilapi.example.com/', /not allowed/],
  ['api.example.com', 'https://example.com/', /not allowed/],
  ['api.example.com', 'https://api.example.com:8443/', /port 8443/],
  ['api.example.com', 'https://api.example.com:80/', /port 80/],
  ['api.example.com:8443', 'https://api.example.com/', /port 443/],
  ['api.example.com', 'https://api.example.com@evil.test/', /user name/],
  ['api.example.com', 'https://evil.test/api.example.com', /not allowed/],
  ['api.example.com', 'https://evil.test#@api.example.com/', /not allowed/],
  ['api.example.com', 'https://evil.test?@api.example.com/', /not allowed/],
  ['api.example.com', 'https://\u0430pi.example.com/', /xn--.* is not allowed/],
  ['api.example.com', 'https://api.examp\u217ce.com/', /hides what it is/],
  ['api.example.com', 'https://api\uff0eexample.com/', /hides what it is/],
  ['*.example.com', 'https://example.com/', /not allowed/],
  ['*.example.com', 'https://evilexample.com/', /not allowed/],
  ['*.example.com', 'https://a.example.com.evil.test/', /not allowed/],
  ['93.184.216.34', 'https://93.184.216.35/', /not allowed/],
  ['127.0.0.1:4000', 'http://127.0.0.1:4001/', /port 4001/],
  ['127.0.0.1:4000', 'http://localhost:4000/', /not allowed/],
  ['127.0.0.1:4000', 'http://[::ffff:127.0.0.1]:4000/', /not allowed/],
];

describe('a host that looks like an allowed one is not requested', () => {
  it.each(lookalikes)('%s: %s', async (allow, url, reason) => {
    const { lookup: never, asked } = lookupIn({});
    const tool = httpRequestTool({ allow: [allow], lookup: never });
    await expect(Promise.resolve(tool.parse({ url })(contextOf()))).rejects.toThrow(reason);
    expect(asked).toEqual([]);
  });
});
