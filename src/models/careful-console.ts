/** What the SDK writes where `ANTHROPIC_LOG` asks for it: requests and answers as they are, so without what was handed out. */

import { hideIn } from '../core/redact/hide-in.js';
import { handedOut } from '../secrets/handed-out.js';

type Level = 'error' | 'warn' | 'info' | 'debug';
type Say = (message: string, ...more: readonly unknown[]) => void;

function at(level: Level): Say {
  return (message, ...more) => console[level](handedOut.text(message), ...more.map((each) => hideIn(each, handedOut)));
}

export const carefulConsole: Readonly<Record<Level, Say>> = {
  error: at('error'),
  warn: at('warn'),
  info: at('info'),
  debug: at('debug'),
};
