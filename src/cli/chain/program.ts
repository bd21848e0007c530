/** `longhand chain …`: the commands that read chains. Each is loaded when it is called. */

import { type Command, Option } from 'commander';
import type { ViewFlags } from '../access/chain-viewer.js';
import { collectValues } from '../flags/values.js';
import type { CommandAction } from '../terminal/terminal.js';
import type { BlobFlags } from './blob.js';
import { allOutcomes } from './chain-row.js';
import type { CostFlags } from './cost.js';
import type { DiffFlags } from './diff.js';
import type { ExplainFlags } from './explain.js';
import type { ForkFlags } from './fork.js';
import type { ChainListFlags } from './list.js';
import { addReplayCommands } from './program-replay.js';
import type { ShowFlags } from './show.js';
import type { WatchFlags } from './watch.js';

const chainHelp = 'an id, the beginning of one, or a file: an exported chain or a downloaded history';

export function addChainCommands(program: Command, act: CommandAction): void {
  const chain = program.command('chain').description('read chains: on the server, or in exported files');

  addRoleOptions(chain.command('list [files...]'))
    .description('list the chains on the server and in the archive, or in files and folders, the running ones first')
    .option('--agent <name>')
    .addOption(new Option('--outcome <outcome>').choices(allOutcomes))
    .addOption(new Option('--status <status>').choices(['running', 'waiting', 'paused', 'ended']))
    .option('--tenant <name>')
    .option('--since <time>', 'started since then: 30m, 2h, 7d, 2026-11-20')
    .option('--cost-over <usd>', 'US dollars that it cost at least')
    .option('--text <words>', 'in the task or the id; of archived chains in all that was said')
    .option('--all', 'sub-chains too, which agents began (with --status waiting and paused they always are)')
    .option('--root <chain>', 'a chain, or the beginning of its id, and all below it')
    .option('--limit <chains>', 'the most that are shown', '50')
    .action(
      act(async (terminal, files: readonly string[], flags: ChainListFlags) =>
        (await import('./list.js')).printChains(terminal, files, flags),
      ),
    );

  addViewOptions(chain.command('show <chain>'))
    .description(`show a chain as a tree (<chain>: ${chainHelp})`)
    .option('--step <number>', 'this step alone, whole')
    .option('--type <kinds>', 'thinking, tool_call, approval, tool_result, synthesis, notice; separated by commas')
    .option('--since <time>', 'what came since then: 30m, 2h, 2026-11-20T14:00:00Z')
    .option('--search <text>', 'what holds this text, whatever its case')
    .option('--last <steps>', 'so many of the newest (default: 50)')
    .option('--all', 'every step')
    .option('--depth <levels>', 'open so many levels of sub-chains (default: each in a line)')
    .option('--tree', 'open all of them')
    .action(
      act(async (terminal, id: string, flags: ShowFlags) => (await import('./show.js')).showChain(terminal, id, flags)),
    );

  addViewOptions(chain.command('watch <chain>'))
    .description('follow a chain until it ends')
    .option('--from <position>', 'go on after <runId>:<eventId>[:<item>], as --json tells it')
    .option('--tokens', 'also what the model is saying, where that can be heard')
    .action(
      act(async (terminal, id: string, flags: WatchFlags) =>
        (await import('./watch.js')).watchChain(terminal, id, flags),
      ),
    );

  addViewOptions(chain.command('at <chain> <step>'))
    .description('show a chain as it stood when a step was complete')
    .action(
      act(async (terminal, id: string, step: string, flags: ViewFlags & { json?: boolean }) =>
        (await import('./show-at-step.js')).showChainAt(terminal, id, step, flags),
      ),
    );

  addViewOptions(chain.command('diff <a> <b>'))
    .description('show where two chains part')
    .option('--exit-code', 'exit 1 when they differ')
    .action(
      act(async (terminal, a: string, b: string, flags: DiffFlags) =>
        (await import('./diff.js')).diffChains(terminal, [a, b], flags),
      ),
    );

  addRoleOptions(chain.command('cost <chain>'))
    .description('show what each step took, and what the budget has left: every role is told that')
    .action(
      act(async (terminal, id: string, flags: CostFlags) => (await import('./cost.js')).showCost(terminal, id, flags)),
    );

  addViewOptions(chain.command('blob <chain> <call>'))
    .description('print what the store keeps of a call: its observation as a whole, or what its tool has made')
    .option('--artifact <name>', 'what the tool has made')
    .option('--out <file>', 'write it there')
    .action(
      act(async (terminal, id: string, call: string, flags: BlobFlags) =>
        (await import('./blob.js')).printBlob(terminal, id, call, flags),
      ),
    );

  chain
    .command('fork <chain>')
    .description('start a chain that begins with the first steps of another, which cost it nothing')
    .option('--at-step <number>', 'the last step that it begins with (default: the last there is)')
    .option('--steer <text>', 'what to tell the model before it goes on; a chain that has answered needs it')
    .option('--model <name>', "instead of the chain's model")
    .option(
      '--limit <name=value>',
      'steps=5, tokens=20000, cost=0.25, time=30s or stall=3; repeatable',
      collectValues,
      [],
    )
    .option('--id <chain>', "the new chain's id (default: made from the agent's name)")
    .option('--tenant <name>', 'for whom (default: as the chain)')
    .option('--user <name>', 'who asked (default: as the chain)')
    .option('--task-queue <name>', 'where the workers listen')
    .option('--wait', 'follow it to its end')
    .option('--json', 'print JSON')
    .action(
      act(async (terminal, id: string, flags: ForkFlags) => (await import('./fork.js')).forkChain(terminal, id, flags)),
    );

  addReplayCommands(chain, act);

  addViewOptions(chain.command('explain <chain>'))
    .description('say what a chain does next and why, and how far its limits are used')
    .action(
      act(async (terminal, id: string, flags: ExplainFlags) =>
        (await import('./explain.js')).explainChain(terminal, id, flags),
      ),
    );
}

function addRoleOptions(command: Command): Command {
  return command
    .option('--as <role>', 'as who sees it: end_user, developer, auditor, or a role of --visibility', 'developer')
    .option('--visibility <file>', 'rules on who sees what, as JSON')
    .option('--json', 'print JSON');
}

function addViewOptions(command: Command): Command {
  return addRoleOptions(command).option('--expand <ids>', 'steps to open where they are summed up: 3.1,4 or all');
}
