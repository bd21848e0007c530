/**
 * An agent that releases a real repository. It reads, tests and commits by itself. Each shell command and each push waits
 * until a person has approved it. With `askUser`, the agent can ask a person a question.
 *
 * DEPLOY_REPOSITORY=~/shop npx longhand run deployer "Release the next version" --module examples/deployer.ts
 *
 * Decide its requests in that terminal, or in any other:
 *
 * npx longhand inbox                                                  # the open requests, with their arguments
 * npx longhand approve deployer-3f2a                                  # with the model's arguments
 * npx longhand approve deployer-3f2a --input '{"command":"npm test"}' # with other arguments
 * npx longhand deny deployer-3f2a --reason "Run the tests first."     # the model sees the reason and continues
 * npx longhand answer deployer-3f2a "A minor one."                    # answers a question
 */

import { execFile } from 'node:child_process';
import { askUser, fileTools } from '@longhand/tools';
import { codeApprovals, defineAgent, defineTool } from 'longhand';
import { z } from 'zod';

/**
 * A program that ends has an exit code, which is a result. A program that is killed throws: its effect is then unknown, and
 * a person resolves it.
 */
function createRunner(repository: string) {
  return (signal: AbortSignal, program: string, ...args: readonly string[]) =>
    new Promise<{ readonly exitCode: number; readonly output: string }>((resolve, reject) => {
      // The worker's other variables hold keys, and the model reads what programs print.
      const { PATH, HOME, SSH_AUTH_SOCK } = process.env;
      const agent = program === 'git' && args[0] === 'push' ? { SSH_AUTH_SOCK } : {};
      const options = { cwd: repository, signal, env: { PATH, HOME, ...agent, GIT_TERMINAL_PROMPT: '0' } };
      execFile(program, args, options, (error, stdout, stderr) => {
        const exitCode = error === null ? 0 : error.code;
        if (typeof exitCode === 'number') resolve({ exitCode, output: `${stdout}${stderr}`.trim() });
        else reject(error);
      });
    });
}

/** @param repository its folder, on the machine of the worker */
export function createDeployer(repository: string) {
  const execute = createRunner(repository);

  const runTests = defineTool({
    name: 'run_tests',
    description: "Runs the repository's tests.",
    inputSchema: z.object({}),
    returns: 'the exit code, 0 if all tests pass, and the output',
    effects: 'idempotent',
    timeout: '10 minutes',
    execute: (_, { signal }) => execute(signal, 'npm', 'test'),
  });

  const shellExec = defineTool({
    name: 'shell_exec',
    description: 'Runs a shell command in the repository. A person reads each command first: run only necessary ones.',
    inputSchema: z.object({ command: z.string() }),
    returns: 'the exit code and the output',
    effects: 'unsafe',
    approval: codeApprovals.shell_exec,
    execute: ({ command }, { signal }) => execute(signal, 'sh', '-c', command),
  });

  const gitCommit = defineTool({
    name: 'git_commit',
    description: 'Commits every change in the repository.',
    inputSchema: z.object({ message: z.string().describe('One line: what and why') }),
    effects: 'unsafe',
    // A commit is local until it is pushed, and the push needs approval.
    approval: false,
    execute: async ({ message }, { signal }) => {
      const added = await execute(signal, 'git', 'add', '--all');
      return added.exitCode === 0 ? execute(signal, 'git', 'commit', '--message', message) : added;
    },
  });

  const gitPush = defineTool({
    name: 'git_push',
    description: 'Pushes the commits to the remote.',
    inputSchema: z.object({ branch: z.string().regex(/^\w[\w./-]*$/, 'a plain name, such as main') }),
    effects: 'unsafe',
    approval: { ...codeApprovals.git_push, expires: '1 day' },
    execute: ({ branch }, { signal }) => execute(signal, 'git', 'push', 'origin', `HEAD:refs/heads/${branch}`),
  });

  return defineAgent({
    name: 'deployer',
    instructions: 'You release the repository that your tools see. Look before you act, and take small steps.',
    model: process.env.LONGHAND_MODEL ?? 'claude-sonnet-5-5',
    strategy: 'tools',
    tools: [...fileTools({ root: repository }), askUser(), runTests, shellExec, gitCommit, gitPush],
    limits: { steps: 25, time: '30m' },
  });
}

export const deployer = createDeployer(process.env.DEPLOY_REPOSITORY ?? '.');
