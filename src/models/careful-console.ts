/**
 * What the SDK writes where `ANTHROPIC_LOG` asks for it: requests and answers, without what was handed out, and without
 * what would drive a terminal.
 */

import { plain } from '../core/lib/plain.js';
import { hideIn } from '../core/redact/hide-in.js';
import { handedOut } from '../secrets/handed-out.js';

type Level = 'error' | 'warn' | 'info' | 'debug';
type Say = (message: string, ...more: readonly unknown[]) => void;

const shown = { text: (text: string) => plain(handedOut.text(text)) };

function at(level: Level): Say {
  return (message, ...more) => console[level](shown.text(message), ...more.map((each) => hideIn(each, shown)));
}

export const carefulConsole: Readonly<Record<Level, Say>> = {
  error: at('error'),
  warn: at('warn'),
  info: at('info'),
  debug: at('debug'),
};
