/** Something that the person at the keyboard can put right: printed as it is, without a stack; exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
