/**
 * Translates the texts of a container to this machine: host names and ports to loopback addresses, paths to folders.
 *
 * Everything else stays as it is written: that is what the run without containers proves.
 */

/**
 * @typedef {object} Places
 * @property {string} name  the service
 * @property {ReadonlyMap<string, number>} addresses  ports of this machine, by `service:port`
 * @property {ReadonlyMap<number, number>} published  ports of this machine, by published port
 * @property {ReadonlyMap<string, string>} paths  paths of this machine, by path in the container
 */

/**
 * Returns a function that translates a text: an argument, a value, or a file.
 *
 * @param {Places} places
 */
export function createTranslation({ name, addresses, published, paths }) {
  const own = new Map(
    [...addresses]
      .filter(([address]) => address.startsWith(`${name}:`))
      .map(([address, port]) => [portOf(address), port]),
  );
  const anyPort = new Map([...[...addresses].map(([address, port]) => [portOf(address), port]), ...own]);
  const pathPattern = createPathPattern([...paths.keys()]);
  return (text) => {
    if (text === '0.0.0.0') return '127.0.0.1';
    // A port alone, as an argument or a value: no two services of the stack share one.
    if (/^\d+$/.test(text)) return String(anyPort.get(Number(text)) ?? text);
    return text
      .replace(/(?<![\w.-])([\w.-]+):(\d{2,5})(?!\d)/g, (whole, host, port) => {
        if (host === 'localhost') return `localhost:${published.get(Number(port)) ?? port}`;
        const mapped = isOwnHost(host) ? own.get(Number(port)) : addresses.get(`${host}:${port}`);
        return mapped === undefined ? whole : `127.0.0.1:${mapped}`;
      })
      .replace(pathPattern, (path) => paths.get(path) ?? path);
  };
}

/** Translates a variable: the name of a host alone is one only where the variable is named so. */
export function translateVariable(name, value, { translate, hosts }) {
  return /HOST$/.test(name) && hosts.has(value) ? '127.0.0.1' : translate(value);
}

const isOwnHost = (host) => host === '127.0.0.1' || host === '0.0.0.0';
const portOf = (address) => Number(address.split(':')[1]);

/** Matches whole paths, the longest first; in one pass, so that no path of this machine is translated. */
function createPathPattern(paths) {
  const longestFirst = [...paths].sort((a, b) => b.length - a.length);
  if (longestFirst.length === 0) return /(?!)/g;
  const escaped = longestFirst.map((path) => path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`(?<![\\w./-])(?:${escaped.join('|')})(?![\\w.-])`, 'g');
}
