/**
 * Health check of a container: `node healthcheck.mjs <url> [token file]`. Ends with 0 if the URL answers with 200.
 *
 * With the file of a token it is a request to a codec server, which has no path that is free of it.
 */

import { readFileSync } from 'node:fs';

const [url, tokenFile] = process.argv.slice(2);
const decoding = () => ({
  method: 'POST',
  headers: {
    authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`,
    'content-type': 'application/json',
  },
  body: JSON.stringify({ payloads: [] }),
});

try {
  const request = tokenFile === undefined ? {} : decoding();
  const response = await fetch(url, { ...request, signal: AbortSignal.timeout(4_000) });
  if (!response.ok) throw new Error(`status ${response.status}`);
} catch (error) {
  process.stderr.write(`${url}: ${error.message}\n`);
  process.exitCode = 1;
}
