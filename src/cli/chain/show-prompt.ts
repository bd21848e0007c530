/** `longhand chain show --prompt`: shows the prompt of a model call as it was sent. */

import { readPrompt } from '../../client/index.js';
import type { ModelCallRef } from '../../core/model/index.js';
import { toReasoning, viewPrompt } from '../../core/view/index.js';
import { createChainViewer, type ViewFlags } from '../access/chain-viewer.js';
import { findRecordedChain } from '../access/find-chain.js';
import { withServer } from '../access/open.js';
import { recordView, toViewedChain } from '../access/record-view.js';
import { UsageError } from '../flags/usage-error.js';
import { parseWholeNumber } from '../flags/values.js';
import { formatPrompt } from '../print/format-prompt.js';
import { getColors } from '../terminal/colors.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';

export interface ShowPromptFlags extends ViewFlags {
  readonly step?: string;
  /** True for the call of `--step`. */
  readonly prompt: string | true;
}

export async function showPrompt(terminal: Terminal, reference: string, flags: ShowPromptFlags): Promise<number> {
  const ref = parseCallRef(flags);
  const { role, viewer, config } = await createChainViewer(flags);
  return withServer(async (connect) => {
    const recorded = await findRecordedChain(reference, connect);
    await recordView({ role, command: 'chain show --prompt', named: reference }, [toViewedChain(recorded)]);
    const prompt = viewPrompt(toReasoning(recorded), readPrompt(recorded, ref), viewer, config);
    terminal.write(flags.json ? formatJson(prompt) : formatPrompt(prompt, getColors(terminal)));
    return 0;
  });
}

/** @throws UsageError */
function parseCallRef({ step, prompt }: ShowPromptFlags): ModelCallRef {
  if (typeof prompt === 'string') {
    if (step !== undefined) throw new UsageError('--step and --prompt <call> cannot be combined.');
    if (/^(?:model|aside)-\d+$/.test(prompt)) return prompt;
    throw new UsageError(`Invalid --prompt ${prompt}: expected the id of a model call, such as model-4.`);
  }
  if (step === undefined)
    throw new UsageError('--prompt needs --step <number>, or the id of a model call: --prompt model-4.');
  return parseWholeNumber('--step', step);
}
