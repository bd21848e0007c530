/**
 * The name of an error as code gives it, for places that nobody masks or encrypts: spans and the type of a failure.
 *
 * A tool may put anything into `error.name`. The name of a class is code; a name that an instance was given is data.
 */

const { getOwnPropertyDescriptor, getPrototypeOf } = Object;

/** What every JavaScript runtime throws. */
const builtInNames = [
  ...['Error', 'AggregateError', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError'],
  ...['AbortError', 'TimeoutError', 'NetworkError', 'DataCloneError', 'AssertionError', 'SystemError', 'ZodError'],
];

/** Null where the name may be data. Reads nothing that the error computes. */
export function findErrorName(error: Error): string | null {
  const name = findStatedName(error);
  if (name === null) return null;
  return builtInNames.includes(name) || isOfClass(error, name) ? name : null;
}

/** The name that the error says of itself, whatever it is; null for none. */
export function findStatedName(error: Error): string | null {
  const { name }: { name: unknown } = error;
  return typeof name === 'string' && name !== '' ? name : null;
}

/** Whether a class of the error has this name, or gives it to all that it makes. */
function isOfClass(error: Error, name: string): boolean {
  if (!/^[A-Za-z_$][\w$]{0,99}$/.test(name)) return false;
  for (let held: unknown = getPrototypeOf(error); held !== null; held = getPrototypeOf(held)) {
    const made: unknown = getOwnPropertyDescriptor(held, 'constructor')?.value;
    if (getOwnPropertyDescriptor(held, 'name')?.value === name) return true;
    if (typeof made === 'function' && getOwnPropertyDescriptor(made, 'name')?.value === name) return true;
  }
  return false;
}
