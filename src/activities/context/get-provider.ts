/** The provider of a call among those of the worker. */

import { type ModelProvider, type Models, ProviderMissingError } from '../../models/index.js';
import { createUnknownProviderFailure } from './failures.js';

/** @throws a failure that puts the call back into the task queue: another worker may have the provider */
export function getProvider({ findProvider, providers }: Models, name: string): ModelProvider {
  const provider = findProvider(name);
  if (provider !== null) return provider;
  const { message } = new ProviderMissingError(name, providers);
  throw createUnknownProviderFailure(name, message);
}
