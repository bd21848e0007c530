/** Providers of keys and secrets, and which secrets were used. */

export {
  checkSecretProvider,
  createDefaultSecrets,
  createEnvironmentSecrets,
  createFolderSecrets,
  isSecretName,
  readSecret,
  type SecretProvider,
  type SecretScope,
} from './secret-provider.js';
export { registeredSecretsMasker, registerSecrets } from './secret-registry.js';
export { readSecretVariable } from './secret-variable.js';
