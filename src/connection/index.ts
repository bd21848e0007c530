/** The way to Temporal's server: settings, TLS, API keys, and the error that names the wrong part. */

export { DuplicatePackageError } from './duplicate-package.js';
export {
  checkNamespace,
  type DescribedNamespace,
  findNamespaceId,
  findPartialAttributes,
  formatCreateAttributes,
  getNamespaceId,
  listAttributeNames,
  listMissingAttributes,
} from './namespace.js';
export { openConnection, openUnansweredConnection } from './open.js';
export { formatUnpolledQueue, listPollers, type QueueKey } from './pollers.js';
export {
  type ConnectionSettings,
  defaultAddress,
  readConnectionSettings,
  readNamespace,
  type TemporalOptions,
  toConnectionOptions,
} from './settings.js';
