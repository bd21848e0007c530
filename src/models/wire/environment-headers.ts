/**
 * Headers that an SDK adds to every request from a variable of the environment, such as ANTHROPIC_CUSTOM_HEADERS. They are for the
 * SDK's own host: with another address, they are omitted, because they may contain a key.
 */

/**
 * Returns headers for the SDK's client: null leaves a header out. Those that the SDK itself fills keep the client's own key.
 *
 * @param text the variable: a header per line, `name: value`
 */
export function dropEnvironmentHeaders(
  text: string | undefined,
  apiKey: string | undefined,
): Readonly<Record<string, string | null>> {
  const own: Readonly<Record<string, string>> =
    apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}`, 'api-key': apiKey };
  return Object.fromEntries(readHeaders(text).map(([name]) => [name, own[name.toLowerCase()] ?? null]));
}

/** Returns the values, which are masked like keys. */
export function listHeaderValues(text: string | undefined): readonly string[] {
  return readHeaders(text).map(([, value]) => removeScheme(value));
}

/** Returns the key in the value of a header. */
export function removeScheme(value: string): string {
  return value.replace(/^(bearer|basic) /i, '');
}

function readHeaders(text = ''): readonly (readonly [name: string, value: string])[] {
  return text.split('\n').flatMap((line) => {
    const colon = line.indexOf(':');
    return colon < 1 ? [] : [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const];
  });
}
