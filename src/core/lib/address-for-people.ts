/**
 * An address that somebody wrote wrong, to be repeated to them: who writes one wrong may have written a password into it.
 * It cannot be taken apart as an address, so it is taken at its marks.
 */

/** Without what stands before its last `@`, and what follows a `?`, `#` or `&`. */
export function addressForPeople(written: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(written)?.[0] ?? '';
  const at = written.lastIndexOf('@');
  const host = at < scheme.length ? written.slice(scheme.length) : `…${written.slice(at)}`;
  return scheme + host.replace(/[?#&].*$/s, '?…');
}
