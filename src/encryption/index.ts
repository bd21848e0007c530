/** Sealing of payloads and stored bytes, master keys, the codec server. */

export { isLoopback } from './codec-access.js';
export { type CodecServer, startCodecServer } from './codec-server.js';
export {
  createPurposeSealer,
  type Encryption,
  type EncryptionOption,
  resolveEncryption,
  toSealingConverter,
} from './encryption.js';
export { EncryptionError, type EncryptionProblem } from './errors.js';
export { createKeyFile, readKeyFile, updateKeyFile } from './key-file.js';
export { addMasterKey, createMasterKeys, type MasterKey, type MasterKeys, setCurrentKey } from './master-keys.js';
export { createSealer, type Sealer } from './sealer.js';
