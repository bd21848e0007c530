/** The HTTP client changes nothing for other requests of the process, and always verifies certificates. */

import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { httpRequestTool } from '../../../src/entries/tools.js';
import { contextOf } from '../../support/call-tool.js';
import { createCertificates } from '../../support/certificates.js';
import { lookupIn, respond, useSite } from '../../support/http-site.js';

it("Node's own fetch keeps its dispatcher", async () => {
  const site = await useSite(respond(200, 'text/plain', 'x'));
  const tool = httpRequestTool({ allow: [`127.0.0.1:${site.port}`] });
  await tool.parse({ url: `http://127.0.0.1:${site.port}/` })(contextOf());
  const { Agent } = await import('undici');
  const dispatcher: unknown = Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'));
  expect(dispatcher).toBeDefined();
  expect(dispatcher).not.toBeInstanceOf(Agent);
});

it.each(['selfSigned', 'expired', 'named'] as const)(
  'a certificate that is not valid is rejected, also with NODE_TLS_REJECT_UNAUTHORIZED=0 (%s)',
  async (name) => {
    const certificates = createCertificates();
    const { cert, key } = certificates[name];
    let requests = 0;
    const server = createServer({ cert, key }, (_, response) => {
      requests++;
      response.end('x');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    onTestFinished(() => {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
      server.close();
      certificates.remove();
    });
    const { port } = server.address() as AddressInfo;
    const { lookup } = lookupIn({ 'api.test': ['127.0.0.1'] });
    const tool = httpRequestTool({ allow: [], allowPrivate: [`api.test:${port}`], lookup });
    await expect(Promise.resolve(tool.parse({ url: `https://api.test:${port}/` })(contextOf()))).rejects.toThrow(
      /certificate of api\.test is not valid \([A-Z_]+\)/,
    );
    expect(requests).toBe(0);
  },
);
