/** Resources that are closed together. */

export interface Resources {
  readonly add: (close: () => Promise<unknown>) => void;
  /** Closes all in reverse order, also those after one that fails. @throws the first error */
  readonly close: () => Promise<void>;
}

export function createResources(): Resources {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    const errors: unknown[] = [];
    for (const closeOne of closers.splice(0).reverse()) await closeOne().catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  };
  return { add: (closeOne) => void closers.push(closeOne), close };
}
