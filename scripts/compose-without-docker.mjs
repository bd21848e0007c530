/**
 * Runs the stack of docker-compose.yml without containers: `node scripts/compose-without-docker.mjs`, until Ctrl-C.
 *
 * Every service's command and health check run as they are written, in the order of their conditions, with the same
 * environment, as plain processes on free ports. What it cannot show is what only containers have: images, users, read-only
 * file systems, networks and limits.
 */

import { findLack, startStack } from './compose/stack.mjs';
import { main, SetupError } from './stage.mjs';

await main(async () => {
  const lack = findLack();
  if (lack !== null) throw new SetupError(`The stack cannot run here: ${lack}.`);
  const report = (line) => process.stderr.write(`${line}\n`);
  const stack = await startStack({ env: process.env, report });
  try {
    const key = await stack.exec('gateway', [
      ...['node', '/opt/longhand/bin/longhand.js', 'gateway', 'keys', 'create', 'stack', '--all-tenants', '--service'],
      ...['--scope', 'start,read,decide,direct'],
    ]);
    report(
      [
        '',
        `Temporal  ${stack.getAddress(7233)}`,
        `Web UI    http://${stack.getAddress(8233)}`,
        `Gateway   http://${stack.getAddress(7700)}`,
        `Codec     http://${stack.getAddress(8234)}`,
        `Secrets   ${stack.secretsFolder}`,
        key.stdout.trim(),
        'Ctrl-C stops it.',
      ].join('\n'),
    );
    await new Promise((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, resolve);
    });
  } finally {
    await stack.stop();
  }
  return 0;
});
