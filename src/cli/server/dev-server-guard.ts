/**
 * The process between us and the dev server, so that the server ends when we do, however we end.
 *
 * A server started directly outlives a parent that is killed. One in our process group hears the terminal's Ctrl-C and is
 * gone before a chain can be cancelled on it. So a guard leads a group of its own, starts the server there, and stops it
 * when the channel to us closes.
 *
 * It is a string of plain JavaScript because it must run alike from source and from dist, without a loader.
 */
export const guardScript = `
const { spawn } = require('node:child_process');
const [path, ...args] = process.argv.slice(1);
const tell = (message, then = () => {}) => (process.connected ? process.send(message, then) : then());
const server = spawn(path, args, { stdio: ['ignore', 'inherit', 'inherit'] });
server.on('spawn', () => tell({ pid: server.pid }));
server.on('error', (error) => tell({ failed: error.message }, () => process.exit()));
server.on('exit', (code, signal) => {
  tell({ failed: signal ?? 'exit code ' + code }, () => process.exit());
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

/** What the guard reports over its channel. */
export type GuardMessage =
  | { readonly pid: number }
  /** The server could not be started, or has ended. */
  | { readonly failed: string };
