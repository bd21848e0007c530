/** The files that a person means by names of files and folders. */

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface FoundFile {
  readonly path: string;
  /** Whether it was named itself, and not a folder that it lies in. */
  readonly named: boolean;
}

/** Of a folder its JSON files, without those of folders in it. @throws Error naming what is not there */
export function filesIn(places: readonly string[]): readonly FoundFile[] {
  return places.flatMap((place): readonly FoundFile[] => {
    if (!existsSync(place)) throw new Error(`There is no file or folder ${place}.`);
    if (!statSync(place).isDirectory()) return [{ path: place, named: true }];
    const names = readdirSync(place).filter((name) => name.endsWith('.json'));
    return names.sort().map((name) => ({ path: join(place, name), named: false }));
  });
}
