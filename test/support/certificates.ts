/** Certificates for tests of TLS, made by openssl in a folder of their own. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Pair {
  readonly certPath: string;
  readonly keyPath: string;
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface Certificates {
  /** CA of all others but `selfSigned`. */
  readonly ca: Pair;
  /** For 127.0.0.1 and localhost. */
  readonly server: Pair;
  /** For the name temporal.test alone. */
  readonly named: Pair;
  readonly expired: Pair;
  readonly client: Pair;
  /** A CA that issued none of the others. */
  readonly selfSigned: Pair;
  readonly remove: () => void;
}

export function createCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-tls-'));
  const run = (...args: readonly string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const read = (name: string): Pair => {
    const [certPath, keyPath] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
    return { certPath, keyPath, cert: readFileSync(certPath), key: readFileSync(keyPath) };
  };
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const createRoot = (name: string) => {
    run(
      'req',
      '-x509',
      ...newKey,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-subj',
      `/CN=${name}`,
      '-days',
      '2',
    );
    return read(name);
  };
  const issue = (name: string, names: string, end: readonly string[] = ['-days', '2']) => {
    const extension = ['-addext', `subjectAltName=${names}`];
    run('req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`, ...extension);
    const ca = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-copy_extensions', 'copy'];
    run('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, ...ca, ...end);
    return read(name);
  };
  return {
    ca: createRoot('ca'),
    server: issue('server', 'DNS:localhost,IP:127.0.0.1'),
    named: issue('named', 'DNS:temporal.test'),
    expired: issue('expired', 'DNS:localhost,IP:127.0.0.1', ['-days', '-1']),
    client: issue('client', 'DNS:client.test'),
    selfSigned: createRoot('other'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
