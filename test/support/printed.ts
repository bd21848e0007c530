/** The output of a command, without a separate process. */

import type { Terminal } from '../../src/cli/terminal/terminal.js';

export interface Printed {
  readonly code: number;
  readonly out: string;
  readonly reported: string;
}

export async function printed(command: (terminal: Terminal) => Promise<number>, width = 100): Promise<Printed> {
  let out = '';
  let reported = '';
  const terminal: Terminal = {
    write: (text) => {
      out += text;
    },
    writeRaw: (text) => {
      out += text;
    },
    report: (line) => {
      reported += `${line}\n`;
    },
    color: false,
    width,
    tableWidth: width,
  };
  const code = await command(terminal);
  return { code, out, reported };
}
