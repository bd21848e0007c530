/** `longhand models …`: the models of the configured providers. Each command is loaded when it is called. */

import type { Command } from 'commander';
import type { CommandAction } from '../terminal/terminal.js';
import type { ModelsFlags } from './open-models.js';

export function addModelsCommands(program: Command, act: CommandAction): void {
  const models = program
    .command('models')
    .argument('[names...]', 'texts to look for; with --check, aliases or ids')
    .description('list the models of the configured providers, with prices and capabilities')
    .option('--check', 'ask each alias, the default model or the named ones for a short answer')
    .option('--models <file>', 'catalogue of aliases (default: LONGHAND_MODELS)')
    .option('--prices <file>', "price map in LiteLLM's format (default: LONGHAND_PRICES)")
    .option('--json', 'print JSON')
    .action(
      act(
        () => async (terminal, names: readonly string[], flags: ModelsFlags & { readonly check?: boolean }) =>
          flags.check
            ? (await import('./check.js')).checkModels(terminal, names, flags)
            : (await import('./list.js')).listModels(terminal, names, flags),
      ),
    );
  models
    .command('update')
    .description("write a price map of your own from LiteLLM's")
    .requiredOption('--from <file or URL>', "LiteLLM's model_prices_and_context_window.json")
    .option('--out <file>', 'file to write', 'prices.json')
    .action(act(async () => (await import('./update.js')).updatePrices));
}
