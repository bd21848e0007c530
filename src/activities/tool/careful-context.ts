/** What a tool is given to speak with while it runs: each word goes through the hider of its secrets. */

import type { Context } from '@temporalio/activity';
import { hideIn } from '../../core/redact/hide-in.js';
import { type Hider, noHider } from '../../core/redact/known-secrets.js';
import type { ToolLog } from '../../tools/define/define-tool.js';
import type { Heart } from '../context/heartbeat.js';

type Fields = Record<string, unknown>;

/** Temporal's own where there is nothing to hide: it takes fields as they are. */
export function carefulLog(log: Context['log'], hider: Hider): ToolLog {
  if (hider === noHider) return log;
  const at = (level: keyof ToolLog) => (message: string, fields?: Fields) => {
    const said = fields === undefined ? undefined : hideIn(fields, hider);
    log[level](hider.text(String(message)), said as Fields | undefined);
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

export function carefulBeat(beat: Heart['beat'], hider: Hider): Heart['beat'] {
  return hider === noHider ? beat : (details) => beat(hideIn(details, hider));
}
