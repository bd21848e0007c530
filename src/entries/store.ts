/** `longhand/store`: what outlives Temporal's retention. */

export {
  createLedger,
  ErasedChainError,
  type Ledger,
  type LedgerAmounts,
  type LedgerCounter,
  type LedgerScope,
  type LedgerWindow,
  type OpenStore,
  type OpenStoreOptions,
  openStore,
  type ReserveRequest,
  type ReserveResult,
  type Store,
  StoreError,
  type StoreErrorKind,
  type StoreOption,
} from '../store/index.js';
