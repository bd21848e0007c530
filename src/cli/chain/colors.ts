/** The colours of a terminal, or none. */

import pc from 'picocolors';

export type Colors = ReturnType<typeof pc.createColors>;

export function colorsFor({ color }: { readonly color: boolean }): Colors {
  return pc.createColors(color);
}
