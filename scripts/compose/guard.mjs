/**
 * A process between the stack and one of its services: `node guard.mjs <options as JSON>`. The service ends when the stack
 * does, also when the stack is killed, and it gets exactly the signals of its own stop.
 */

import { spawn } from 'node:child_process';

const { command, cwd, env } = JSON.parse(process.argv[2]);
const [program, ...args] = command;
// Its own process group: all that the service starts ends with it.
const service = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'inherit', 'inherit'] });
const kill = (signal, wholeGroup) => {
  try {
    if (service.pid !== undefined) process.kill(wholeGroup ? -service.pid : service.pid, signal);
  } catch {
    // It has ended.
  }
};
const end = (message) => {
  kill('SIGKILL', true);
  if (process.connected) process.send(message, () => process.exit());
  else process.exit();
};

service.on('spawn', () => process.connected && process.send({ pid: service.pid }));
service.on('error', (error) => end({ code: null, signal: null, error: error.message }));
service.on('exit', (code, signal) => end({ code, signal }));
process.on('message', ({ signal }) => kill(signal, false));
process.on('disconnect', () => kill('SIGKILL', true));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
