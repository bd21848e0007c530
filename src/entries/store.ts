/** `longhand/store`: what outlives Temporal's retention. */

export {
  ErasedChainError,
  type OpenStore,
  type OpenStoreOptions,
  openStore,
  type Store,
  StoreError,
  type StoreErrorKind,
  type StoreOption,
} from '../store/index.js';
