/** Reads docker-compose.yml: variables and defaults, merged keys, and its short forms in one long form. */

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/**
 * @typedef {object} Service
 * @property {string} name
 * @property {string} image
 * @property {string} user  `1000:1000`
 * @property {string[] | null} entrypoint  Null for that of the image.
 * @property {string[]} command
 * @property {Record<string, string>} environment
 * @property {{ source: string, target: string }[]} secrets
 * @property {{ source: string, target: string }[]} volumes  `source` is a path, or the name of a volume.
 * @property {string[]} tmpfs
 * @property {{ published: number, target: number }[]} ports
 * @property {Record<string, string>} dependsOn  Conditions, by service.
 * @property {{ test: string[], intervalMs: number, timeoutMs: number, retries: number, startMs: number } | null} healthcheck
 * @property {NodeJS.Signals} stopSignal
 * @property {number} stopMs
 * @property {number} replicas
 */

/**
 * Reads the services and the files of the secrets.
 *
 * @param {string} path
 * @param {Record<string, string | undefined>} env  for `${VARIABLE}` and `${VARIABLE:-default}`
 * @returns {{ services: Service[], secrets: Record<string, string> }}
 */
export function readCompose(path, env = {}) {
  const document = interpolate(parseCompose(readFileSync(path, 'utf8')), env);
  return {
    services: Object.entries(document.services).map(([name, service]) => toService(name, service)),
    secrets: Object.fromEntries(Object.entries(document.secrets ?? {}).map(([name, { file }]) => [name, file])),
  };
}

/** Parses a Compose file; aliases and merge keys are resolved, nothing else. */
export function parseCompose(text) {
  return parse(text, { merge: true });
}

function interpolate(value, env) {
  if (typeof value === 'string') {
    return value.replace(/\$(?:\$|\{(\w+)(?::-([^}]*))?\})/g, (whole, name, fallback) =>
      whole === '$$' ? '$' : env[name] || (fallback ?? ''),
    );
  }
  if (Array.isArray(value)) return value.map((each) => interpolate(each, env));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, interpolate(each, env)]));
}

function toService(name, service) {
  return {
    name,
    image: service.image,
    user: service.user,
    entrypoint: service.entrypoint ?? null,
    command: service.command ?? [],
    environment: service.environment ?? {},
    secrets: (service.secrets ?? []).map((secret) =>
      typeof secret === 'string' ? { source: secret, target: secret } : secret,
    ),
    volumes: (service.volumes ?? []).map(toVolume),
    tmpfs: service.tmpfs ?? [],
    ports: (service.ports ?? []).map(toPort),
    dependsOn: Object.fromEntries(
      Object.entries(service.depends_on ?? {}).map(([other, { condition }]) => [other, condition]),
    ),
    healthcheck: service.healthcheck === undefined ? null : toHealthcheck(service.healthcheck),
    stopSignal: service.stop_signal ?? 'SIGTERM',
    stopMs: parseDuration(service.stop_grace_period ?? '10s'),
    replicas: service.deploy?.replicas ?? 1,
  };
}

function toVolume(text) {
  const [source, target] = text.split(':');
  return { source, target };
}

function toPort(text) {
  const [target, published] = text.split(':').reverse().map(Number);
  return { published, target };
}

function toHealthcheck({ test, interval, timeout, retries, start_period: start }) {
  const [kind, ...command] = test;
  if (kind !== 'CMD') throw new Error(`Only checks of the kind CMD are supported, not ${kind}.`);
  return {
    test: command,
    intervalMs: parseDuration(interval),
    timeoutMs: parseDuration(timeout),
    retries,
    startMs: parseDuration(start),
  };
}

/** Parses `1m30s`. */
export function parseDuration(text) {
  const units = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
  const parts = [...text.matchAll(/(\d+)(h|ms|m|s)/g)];
  if (parts.map(([whole]) => whole).join('') !== text) throw new Error(`Invalid duration ${text}.`);
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * units[unit], 0);
}
