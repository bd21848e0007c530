/** The colours of a terminal, or none. */

import pc from 'picocolors';
import { type Colors, markedColors } from './styling.js';

export type { Colors };

export function colorsFor({ color }: { readonly color: boolean }): Colors {
  return color ? markedColors : pc.createColors(false);
}
