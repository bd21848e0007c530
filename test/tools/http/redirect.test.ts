/** What follows a redirect: method, body and headers of the next request. */

import { describe, expect, it } from 'vitest';
import { isRedirect, type RequestParts, toRedirected } from '../../../src/tools/http/redirect.js';

const here = new URL('https://api.example.com/a');
const below = new URL('https://api.example.com/b');
const elsewhere = new URL('https://other.example.com/b');

const request = (method: string): RequestParts => ({
  method,
  headers: { authorization: 'Bearer key', 'content-type': 'application/json', accept: '*/*', 'x-account': 'acme' },
  body: method === 'GET' || method === 'HEAD' ? null : Buffer.from('{}'),
});

const statuses = [301, 302, 303, 307, 308];

it('300, 304 and the statuses that are no redirects are not followed', () => {
  expect(statuses.every(isRedirect)).toBe(true);
  expect([200, 201, 300, 304, 305, 306, 400].some(isRedirect)).toBe(false);
});

describe('to the same origin', () => {
  it.each([
    ['GET', statuses.map(() => 'GET')],
    ['HEAD', statuses.map(() => 'HEAD')],
    ['POST', ['GET', 'GET', 'GET', 'POST', 'POST']],
    ['PUT', ['PUT', 'PUT', 'GET', 'PUT', 'PUT']],
    ['DELETE', ['DELETE', 'DELETE', 'GET', 'DELETE', 'DELETE']],
  ])('%s is followed by the method of the status', (method, expected) => {
    expect(statuses.map((status) => toRedirected(request(method), status, here, below).method)).toEqual(expected);
  });

  it('keeps the headers; a GET after a POST has neither the body nor its type', () => {
    expect(toRedirected(request('POST'), 307, here, below)).toEqual(request('POST'));
    expect(toRedirected(request('POST'), 303, here, below)).toEqual({
      method: 'GET',
      headers: { authorization: 'Bearer key', accept: '*/*', 'x-account': 'acme' },
      body: null,
    });
  });
});

describe('to another origin', () => {
  it.each(['https://other.example.com/', 'https://api.example.com:8443/', 'https://example.com/'])(
    'only plain headers are sent: %s',
    (to) => {
      expect(toRedirected(request('GET'), 302, here, new URL(to)).headers).toEqual({ accept: '*/*' });
    },
  );

  it('no body is sent, and nothing without encryption', () => {
    for (const method of ['POST', 'PUT', 'DELETE'])
      expect(() => toRedirected(request(method), 307, here, elsewhere)).toThrow(/it is another origin/);
    expect(toRedirected(request('POST'), 303, here, elsewhere)).toEqual({
      method: 'GET',
      headers: { accept: '*/*' },
      body: null,
    });
    expect(() => toRedirected(request('GET'), 302, here, new URL('http://api.example.com/'))).toThrow(
      /from https to http/,
    );
  });
});
