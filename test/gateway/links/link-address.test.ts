/** Addresses of links: a gateway does not start with one under which no link would work. */

import { expect, it } from 'vitest';
import { createGateway } from '../../../src/gateway/create-gateway.js';
import { formatLinkUrl, parseGatewayAddress } from '../../../src/gateway/links/link-address.js';

it('rejects addresses and paths of which no link could be made', async () => {
  const invalid = [
    ...['acme.com/agents', '', 'ftp://acme.com', 'https://acme.com?x=1', 'https://ana:pw@acme.com'].map(
      (publicUrl) => ({
        publicUrl,
      }),
    ),
    ...['/a?b', '/a b', '/:id', '/*', '/../agents', 'https://acme.com', '/a//b'].map((basePath) => ({ basePath })),
  ];
  for (const options of invalid) {
    expect(() => parseGatewayAddress(options), JSON.stringify(options)).toThrow(
      expect.objectContaining({ code: 'invalid_options' }),
    );
    await expect(createGateway({ store: null, ...options })).rejects.toMatchObject({ code: 'invalid_options' });
  }
});

it('normalises the slashes of paths', () => {
  for (const basePath of ['agents', '/agents', '/agents/', '//agents//'])
    expect(parseGatewayAddress({ basePath })).toEqual({ publicUrl: undefined, basePath: '/agents' });
  for (const basePath of ['', '/', undefined]) expect(parseGatewayAddress({ basePath }).basePath).toBe('');
  const { publicUrl = '' } = parseGatewayAddress({ publicUrl: 'https://acme.com/agents/' });
  expect(formatLinkUrl(publicUrl, 'token')).toBe('https://acme.com/agents/links/token');
});
