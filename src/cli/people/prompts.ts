/** The prompts that people are asked with. Ctrl-D leaves one as Ctrl-C and Esc do: by itself it would end the input. */

import { updateSettings } from '@clack/prompts';

updateSettings({ aliases: { '\u0004': 'cancel' } });

export { cancel, isCancel, log, outro, select, text } from '@clack/prompts';
