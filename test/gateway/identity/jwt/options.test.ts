/** Files of issuers: what is accepted, and errors that name the member and the fix. */

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { toTokenIssuers } from '../../../../src/gateway/identity/jwt/issuers.js';
import { parseJwtFile } from '../../../../src/gateway/identity/jwt/options.js';
import { matchError } from '../../../support/match-error.js';
import { createSigningKey } from '../../../support/token-issuer.js';

const minimal = `
issuer: https://auth.acme.com/
audience: longhand
jwks: https://auth.acme.com/.well-known/jwks.json
claims: { tenant: org_id, scopes: scope }
`;

it('accepts one issuer or several, in YAML or JSON', () => {
  const [issuer] = parseJwtFile(minimal, 'jwt.yaml');
  expect(issuer).toMatchObject({ issuer: 'https://auth.acme.com/', audience: 'longhand' });
  const other = { ...issuer, issuer: 'https://other.com/' };
  expect(parseJwtFile(JSON.stringify({ issuers: [issuer, other] }), 'jwt.json')).toEqual([issuer, other]);
});

it('completes an issuer: only signatures with two keys, five seconds of tolerance, own chains of an end user', () => {
  expect(toTokenIssuers(parseJwtFile(minimal, 'jwt.yaml'))).toEqual([
    {
      ...{ issuer: 'https://auth.acme.com/', audience: ['longhand'], algorithms: ['RS256', 'ES256', 'EdDSA'] },
      keys: { kind: 'url', url: new URL('https://auth.acme.com/.well-known/jwks.json') },
      ...{ clockToleranceMs: 5_000, type: null, scopePrefix: '', requestsPerMinute: null, reach: 'own' },
      ...{ tenant: undefined, user: undefined },
      claims: { tenant: ['org_id'], user: ['sub'], roles: null, scopes: ['scope'], views: null },
      defaults: { scopes: [], roles: [], views: ['end_user'] },
    },
  ]);
});

it.each([
  ['audiance: longhand', 'You may mean audience'],
  ['claims: { tenant: org_id, scopes: scope, rolls: x }', 'at claims: Unrecognized key: "rolls". You may mean roles'],
  ['algorithms: [HS256]', 'at algorithms.0: expected any of RS256'],
  ['algorithms: [none]', 'at algorithms.0'],
  ['algorithms: []', 'at algorithms'],
  ['jwks: http://auth.acme.com/keys', 'at jwks: expected an https URL'],
  ['jwks: http://localhost.evil.com/keys', 'at jwks'],
  ['jwks: file:///etc/passwd', 'at jwks'],
  ['jwks: null', 'at jwks'],
  ['audience: []', 'at audience'],
  ['tenant: null', 'at tenant: expected either claims.tenant'],
  ['claims: { scopes: scope }', 'at tenant: expected either claims.tenant'],
  ['claims: { tenant: org_id }', 'at defaults.scopes'],
  ['defaults: { scopes: [write] }', 'at defaults.scopes.0: expected any of start, read'],
  ['defaults: { views: [] }', 'at defaults.views'],
  ['claims: { tenant: a..b, scopes: scope }', 'at claims.tenant: has an empty name'],
  ['clockTolerance: 1 hour', 'at clockTolerance: expected milliseconds'],
  ['clockTolerance: soon', 'at clockTolerance'],
  ['user: ana', 'at user: expected null'],
  ['user: null\nreach: own', 'at reach'],
  ['reach: every', 'at reach'],
  ['requestsPerMinute: 0', 'at requestsPerMinute'],
  ['keys: [{ kty: oct, k: c2VjcmV0 }]', 'at keys.0.kty: expected RSA, EC or OKP'],
  ['keys: [{ kty: RSA, n: x }]', 'at keys.0: is not a valid public key'],
])('rejects %j', (line, part) => {
  const [member = ''] = line.split(':');
  const without = minimal
    .split('\n')
    .filter((each) => !each.startsWith(`${member}:`) && !(member === 'keys' && each.startsWith('jwks:')));
  const text = `${without.join('\n')}\n${line}\n`;
  expect(() => parseJwtFile(text, 'jwt.yaml')).toThrow(matchError('invalid_environment', part));
  expect(() => parseJwtFile(text, 'jwt.yaml')).toThrow(matchError('invalid_environment', 'jwt.yaml'));
});

it('rejects a private key, and does not print it', async () => {
  const { jwk } = await createSigningKey('one');
  const given = { issuer: 'x', audience: 'y', tenant: null, defaults: { scopes: ['read'] } };
  expect(toTokenIssuers([{ ...given, keys: [jwk] }])).toHaveLength(1);
  const leaked = () => toTokenIssuers([{ ...given, keys: [{ ...jwk, d: 'canary' }] }]);
  expect(leaked).toThrow(matchError('invalid_options', 'at authentication.jwt.0.keys.0: is a private key'));
  expect(leaked).not.toThrow('canary');
});

it.each([
  ['', 'expected object'],
  ['[', 'expected YAML or JSON'],
  ['just text', 'expected object'],
  ['issuers: []', 'lists no issuer'],
  [`issuers: [${JSON.stringify({ issuer: 'a' })}]`, 'audience'],
  ['audience: x\nissuers:\n  - {}', 'at audience: is unknown next to issuers'],
])('rejects a file with %j', (text, part) => {
  expect(() => parseJwtFile(text, 'jwt.yaml')).toThrow(matchError('invalid_environment', part));
});

it('rejects an issuer that is listed twice', () => {
  const [issuer] = parseJwtFile(minimal, 'jwt.yaml');
  const twice = JSON.stringify({ issuers: [issuer, issuer] });
  expect(() => parseJwtFile(twice, 'jwt.json')).toThrow(
    matchError('invalid_environment', 'at issuers.1.issuer: is listed twice'),
  );
});

it('accepts the example of docs/gateway-access.md', () => {
  const page = readFileSync(new URL('../../../../docs/gateway-access.md', import.meta.url), 'utf8');
  const [, example = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];
  expect(toTokenIssuers(parseJwtFile(example, 'docs'))).toMatchObject([
    {
      claims: {
        ...{ tenant: ['org', 'id'], user: ['sub'], roles: ['realm_access', 'roles'], scopes: ['scope'] },
        views: ['https://acme.com/views'],
      },
      defaults: { scopes: ['start', 'read'] },
    },
  ]);
});
