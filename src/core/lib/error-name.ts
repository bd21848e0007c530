/**
 * The name of an error, for outlets that are not masked or encrypted: spans and the type of a failure.
 *
 * A tool may write anything into `error.name`. The name of a class is code; a name set on an instance is data.
 */

const { getOwnPropertyDescriptor, getPrototypeOf } = Object;

/** Names of errors that JavaScript runtimes throw. */
const builtInNames = [
  ...['Error', 'AggregateError', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError'],
  ...['AbortError', 'TimeoutError', 'NetworkError', 'DataCloneError', 'AssertionError', 'SystemError', 'ZodError'],
];

/** Returns the error's name; null if it may be data. Reads no member that the error computes. */
export function findErrorName(error: Error): string | null {
  const name = findStatedName(error);
  if (name === null) return null;
  return builtInNames.includes(name) || isOfClass(error, name) ? name : null;
}

/** Returns any name that the error states; null for none. */
export function findStatedName(error: Error): string | null {
  const { name }: { name: unknown } = error;
  return typeof name === 'string' && name !== '' ? name : null;
}

/** Returns whether a class of the error has this name or sets it on its instances. */
function isOfClass(error: Error, name: string): boolean {
  if (!/^[A-Za-z_$][\w$]{0,99}$/.test(name)) return false;
  for (let prototype: unknown = getPrototypeOf(error); prototype !== null; prototype = getPrototypeOf(prototype)) {
    const made: unknown = getOwnPropertyDescriptor(prototype, 'constructor')?.value;
    if (getOwnPropertyDescriptor(prototype, 'name')?.value === name) return true;
    if (typeof made === 'function' && getOwnPropertyDescriptor(made, 'name')?.value === name) return true;
  }
  return false;
}
