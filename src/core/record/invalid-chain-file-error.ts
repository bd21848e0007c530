import { LonghandError } from '../lib/index.js';

/** A file is not a readable chain: cut short, of another workflow or version, or altered. */
export class InvalidChainFileError extends LonghandError {
  override readonly name = 'InvalidChainFileError';

  /**
   * @param problem what is wrong, as the end of a sentence
   * @param file its name, if known
   */
  constructor(
    readonly problem: string,
    file = 'the file',
  ) {
    super('invalid_chain_file', `Cannot read a chain from ${file}: ${problem}.`);
  }
}
