/** `longhand chain …`: the commands that read chains. Each module is loaded when its command is called. */

import { type Command, Option } from 'commander';
import { allOutcomes } from '../../client/list/chain-row.js';
import type { ViewFlags } from '../access/chain-viewer.js';
import { addNextChainFlags } from '../flags/start-flags.js';
import { addStepViewerOptions, addViewerOptions } from '../flags/view-flags.js';
import type { CommandAction } from '../terminal/terminal.js';
import type { BlobFlags } from './blob.js';
import type { CostFlags } from './cost.js';
import type { DiffFlags } from './diff.js';
import type { ExplainFlags } from './explain.js';
import type { ForkFlags } from './fork.js';
import type { ChainListFlags } from './list.js';
import { addReplayCommands } from './program-replay.js';
import type { ShowFlags } from './show.js';
import type { ShowPromptFlags } from './show-prompt.js';
import type { WatchFlags } from './watch.js';

const chainHelp = 'an id, the beginning of one, or a file with an exported chain or a downloaded history';

export function addChainCommands(program: Command, act: CommandAction): void {
  const chain = program
    .command('chain')
    .description('read, compare, fork and export chains, from the server, the archive or files');

  addViewerOptions(chain.command('list [files...]'), 'filter')
    .description('list the chains on the server and in the archive, or in files and folders; running chains first')
    .option('--agent <name>', 'only chains of this agent: name, or name@version')
    .addOption(new Option('--outcome <outcome>', 'only chains with this outcome').choices(allOutcomes))
    .addOption(
      new Option('--status <status>', 'only chains with this status').choices([
        'running',
        'waiting',
        'sleeping',
        'paused',
        'ended',
      ]),
    )
    .option('--tenant <name>', 'only chains of this tenant')
    .option('--since <time>', 'only chains started since: 30m, 2h, 7d, 2026-11-20')
    .option('--cost-over <usd>', 'only chains that cost at least this many US dollars')
    .option('--text <words>', 'only chains with this text in the task or the id; archived chains: also in their steps')
    .option('--all', 'list sub-chains as well; --status waiting, sleeping and paused always list them')
    .option('--root <chain>', 'only this chain and its sub-chains; an id or the beginning of one')
    .option('--thread <chain>', 'only the chains of this thread; the id of its first chain or the beginning of one')
    .option('--limit <chains>', 'maximum number of chains', '50')
    .action(
      act(async (terminal, files: readonly string[], flags: ChainListFlags) =>
        (await import('./list.js')).printChains(terminal, files, flags),
      ),
    );

  addStepViewerOptions(chain.command('show').argument('<chain>', chainHelp))
    .description('show a chain as a tree')
    .option('--step <number>', 'show only this step, in full')
    .option(
      '--prompt [call]',
      "show the prompt of the step's model call as it was sent, or that of a call such as model-4",
    )
    .option('--type <kinds>', 'only thinking, tool_call, approval, tool_result, synthesis, notice; separated by commas')
    .option('--since <time>', 'only entries since: 30m, 2h, 2026-11-20T14:00:00Z')
    .option('--search <text>', 'only entries that contain this text; case does not matter')
    .option('--from <step>', 'only steps from this one')
    .option('--to <step>', 'only steps up to this one; the chain is read and shown as it was then')
    .option('--last <steps>', 'number of newest steps to show (default: 50)')
    .option('--all', 'show every step')
    .option('--depth <levels>', 'levels of sub-chains to open (default: one line for each sub-chain)')
    .option('--tree', 'open all sub-chains')
    .option('--thread', 'show all chains of its thread, oldest first')
    .option('--save-files <folder>', 'also write the files of the task and of results to this folder')
    .action(
      act(async (terminal, id: string, { prompt, ...flags }: ShowFlags & Partial<ShowPromptFlags>) =>
        flags.thread
          ? (await import('./show-thread.js')).showThread(terminal, id, flags)
          : prompt === undefined
            ? (await import('./show.js')).showChain(terminal, id, flags)
            : (await import('./show-prompt.js')).showPrompt(terminal, id, { ...flags, prompt }),
      ),
    );

  addStepViewerOptions(chain.command('watch').argument('<chain>', chainHelp))
    .description('follow a chain until it ends')
    .option('--from <position>', 'continue after <runId>:<eventId>[:<item>], a position of --json')
    .option('--tokens', 'also show tokens while the model generates them; with --json also interim results of tools')
    .option('--events', 'print each step as a reasoning event, a JSON object per line')
    .action(
      act(async (terminal, id: string, flags: WatchFlags) =>
        (await import('./watch.js')).watchChain(terminal, id, flags),
      ),
    );

  addStepViewerOptions(chain.command('at').argument('<chain>', chainHelp).argument('<step>', 'number of the step'))
    .description('show a chain as it was when a step was complete')
    .action(
      act(async (terminal, id: string, step: string, flags: ViewFlags & { json?: boolean }) =>
        (await import('./show-at-step.js')).showChainAt(terminal, id, step, flags),
      ),
    );

  addStepViewerOptions(chain.command('diff').argument('<a>', chainHelp).argument('<b>', 'another one'))
    .description('show the first difference of two chains')
    .option('--exit-code', 'exit 1 if the chains differ')
    .action(
      act(async (terminal, a: string, b: string, flags: DiffFlags) =>
        (await import('./diff.js')).diffChains(terminal, [a, b], flags),
      ),
    );

  addViewerOptions(chain.command('cost').argument('<chain>', chainHelp))
    .description('show the usage and cost of each step, and the remaining budget; every role sees them')
    .action(
      act(async (terminal, id: string, flags: CostFlags) => (await import('./cost.js')).showCost(terminal, id, flags)),
    );

  addStepViewerOptions(
    chain.command('blob').argument('<chain>', chainHelp).argument('[call]', 'such as 3.1 (default: the task)'),
  )
    .description('print the full observation of a call, or a file of a call or of the task')
    .option('--file <name>', 'print this file')
    .option('--out <file>', 'write to this file instead of standard output')
    .action(
      act(async (terminal, id: string, call: string | undefined, flags: BlobFlags) =>
        (await import('./blob.js')).printBlob(terminal, id, call, flags),
      ),
    );

  addNextChainFlags(chain.command('fork').argument('<chain>', chainHelp))
    .description('start a chain with the first steps of another; these steps cost nothing')
    .option('--at-step <number>', 'last step to copy (default: the last complete step)')
    .option('--steer <text>', 'message to the model before its next step; required after an answer')
    .option('--tenant <name>', "tenant (default: the chain's tenant)")
    .option('--wait', 'follow the chain until it ends')
    .option('--json', 'print JSON')
    .action(
      act(async (terminal, id: string, flags: ForkFlags) => (await import('./fork.js')).forkChain(terminal, id, flags)),
    );

  addReplayCommands(chain, act, chainHelp);

  addStepViewerOptions(chain.command('explain').argument('<chain>', chainHelp))
    .description('explain what a chain does next, or why it ended, and how much of its limits is used')
    .option('--step <number>', 'explain the chain as it was when this step was complete')
    .action(
      act(async (terminal, id: string, flags: ExplainFlags) =>
        (await import('./explain.js')).explainChain(terminal, id, flags),
      ),
    );
}
