/** What `longhand chain export` can write. */

import type { ViewFlags } from '../access/viewed.js';

export const exportFormats = ['json', 'markdown', 'history'] as const;

export interface ExportFlags extends ViewFlags {
  readonly format: (typeof exportFormats)[number];
  readonly out?: string;
  /** The same as the format. */
  readonly json?: boolean;
}
