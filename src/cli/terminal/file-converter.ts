import type { LoadedDataConverter } from '@temporalio/common';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { resolveEncryption, toSealingConverter } from '../../encryption/index.js';

/** Returns the converter of downloaded histories, which may be encrypted. @throws {EncryptionError} for invalid keys */
export function loadFileConverter(env: NodeJS.ProcessEnv): LoadedDataConverter {
  return loadDataConverter(toSealingConverter(undefined, resolveEncryption(undefined, env)));
}
