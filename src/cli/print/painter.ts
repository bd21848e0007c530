/** Colours of styles. */

import type { Style } from '../../core/view/index.js';
import type { Colors } from '../terminal/colors.js';

export function createPainter(style: Style, c: Colors): (text: string) => string {
  const paints: { readonly [known in Style]: (text: string) => string } = {
    plain: (text) => text,
    heading: (text) => c.bold(c.cyan(text)),
    thought: c.cyan,
    call: c.magenta,
    person: c.blue,
    good: c.green,
    warning: c.yellow,
    bad: c.red,
    running: c.cyan,
    faint: c.dim,
  };
  return paints[style];
}
