/** The error for a connection of another copy of Temporal's SDK. */

import { LonghandError } from '../core/lib/index.js';

/** Two copies have two native cores, and each panics at the objects of the other. */
export class DuplicatePackageError extends LonghandError {
  override readonly name = 'DuplicatePackageError';

  constructor(packageName: string, type: string) {
    super(
      'sdk_loaded_twice',
      `The connection is not a ${type} of the copy of ${packageName} that Longhand loads: two copies are installed. Run \`npm ls ${packageName}\`, install one version of all @temporalio packages, and \`npm dedupe\`.`,
    );
  }
}
