/**
 * A process between this process and the dev server, so that the server ends when this process does, however it ends.
 *
 * A server started directly survives a parent that is killed. A server in the same process group receives the terminal's
 * Ctrl-C and ends before a chain can be cancelled on it. The guard therefore leads its own group, starts the server there,
 * and stops it when the channel to this process closes.
 *
 * It is a string of plain JavaScript: it runs from source and from dist without a loader.
 */
export const guardScript = `
const { spawn } = require('node:child_process');
const [path, ...args] = process.argv.slice(1);
const send = (message, then = () => {}) => (process.connected ? process.send(message, then) : then());
const server = spawn(path, args, { stdio: ['ignore', 'inherit', 'inherit'] });
server.on('spawn', () => send({ pid: server.pid }));
server.on('error', (error) => send({ failed: error.message }, () => process.exit()));
server.on('exit', (code, signal) => {
  send({ failed: signal ?? 'exit code ' + code }, () => process.exit());
});
let stopping = false;
const stop = () => {
  if (stopping) return;
  stopping = true;
  server.kill('SIGTERM');
  setTimeout(() => server.kill('SIGKILL'), 5000);
};
process.on('disconnect', stop);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, stop);
`;

/** A message of the guard over its channel. */
export type GuardMessage =
  | { readonly pid: number }
  /** The server did not start, or has ended. */
  | { readonly failed: string };
