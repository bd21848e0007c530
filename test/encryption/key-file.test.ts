/** The key file: rejected if other users may read it, written atomically, and reloaded by running processes. */

import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveEncryption, toSealingConverter } from '../../src/encryption/encryption.js';
import { createFileKeySource, createKeyFile, readKeyFile, updateKeyFile } from '../../src/encryption/key-file.js';
import { createSealer } from '../../src/encryption/sealer.js';
import type { MasterKeys } from '../../src/entries/client.js';
import { matchError } from '../support/match-error.js';

const secret = (letter: string) => ({ key: Buffer.alloc(32, letter).toString('base64') });
const first: MasterKeys = { current: 'one', keys: { one: secret('a') } };
const rotate = ({ keys }: MasterKeys): MasterKeys => ({ current: 'two', keys: { ...keys, two: secret('b') } });

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-keys-'));
  path = join(folder, 'keys.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a key file', () => {
  it('has mode 0600, is written completely, and is not overwritten', () => {
    createKeyFile(path, first);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(() => createKeyFile(path, rotate(first))).toThrow(
      matchError('encryption_key_file', 'exists and was not changed'),
    );
    updateKeyFile(path, rotate);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readKeyFile(path)).toEqual(rotate(first));
    expect(readdirSync(folder)).toEqual(['keys.json']);
  });

  it('is changed by one process at a time', () => {
    createKeyFile(path, first);
    updateKeyFile(path, (keys) => {
      expect(() => updateKeyFile(path, rotate)).toThrow(matchError('encryption_key_file', 'locked by another process'));
      return rotate(keys);
    });
    expect(readdirSync(folder)).toEqual(['keys.json']);
  });

  it.each([0o640, 0o604, 0o660, 0o644])('is rejected if other users may read it: %o', (mode) => {
    createKeyFile(path, first);
    chmodSync(path, mode);
    expect(() => readKeyFile(path)).toThrow(matchError('encryption_key_file', `chmod 600 ${path}`));
  });

  it.each([
    ['', /is not JSON/],
    ['{"current":"one"}', /is not \{"current"/],
    [`{"current":"two","keys":${JSON.stringify(first.keys)}}`, /has no key for the id in "current"/],
    ['{"current":"one","keys":{"one":{"key":"c2hvcnQ="}}}', /has an invalid key one: expected 32 bytes in base64/],
    [`{"current":"a b","keys":{"a b":${JSON.stringify(secret('q'))}}}`, /id is not made of letters/],
  ])('is rejected with the problem and without its content: %s', (text, problem) => {
    writeFileSync(path, text, { mode: 0o600 });
    expect(() => readKeyFile(path)).toThrow(matchError('encryption_key_file', problem));
    try {
      readKeyFile(path);
    } catch (error) {
      expect(String(error)).not.toContain('c2hvcnQ');
      expect(String(error)).not.toContain(secret('q').key);
    }
  });

  it('that is missing is named, with its environment variable', () => {
    expect(() => readKeyFile(path)).toThrow(
      matchError('encryption_key_file', /keys\.json not found\. Check LONGHAND_ENCRYPTION_KEYS/),
    );
  });
});

describe('keys of a file', () => {
  it('are found at once after a change, with the new current key', () => {
    createKeyFile(path, first);
    const source = createFileKeySource(path, null);
    const opener = createSealer(source);
    updateKeyFile(path, rotate);
    const sealed = createSealer(createFileKeySource(path, null)).seal(Buffer.from('new'), null);
    expect(Buffer.from(opener.open(sealed).bytes).toString()).toBe('new');
    expect(source.current().id).toBe('two');
  });

  it('stay valid while the file is broken', () => {
    createKeyFile(path, first);
    const source = createFileKeySource(path, null);
    writeFileSync(path, '{"current":"two"}', { mode: 0o600 });
    expect(source.find('two')).toBeNull();
    expect(source.current().id).toBe('one');
    rmSync(path);
    createKeyFile(path, rotate(first));
    expect(source.find('two')).not.toBeNull();
  });

  it('stay valid when the file is removed', () => {
    createKeyFile(path, first);
    const source = createFileKeySource(path, null);
    rmSync(path);
    expect(source.current().id).toBe('one');
    expect(source.find('one')).not.toBeNull();
  });
});

describe('the environment', () => {
  it('can name a file, contain the keys, or both; contained keys come first', () => {
    createKeyFile(path, first);
    const text = JSON.stringify({ current: 'two', keys: { two: secret('b') } });
    expect(resolveEncryption(undefined, {})).toBeNull();
    expect(resolveEncryption(undefined, { LONGHAND_ENCRYPTION_KEYS: '', LONGHAND_ENCRYPTION_KEY: '' })).toBeNull();
    expect(resolveEncryption(false, { LONGHAND_ENCRYPTION_KEYS: path })).toBeNull();
    const ids = (env: NodeJS.ProcessEnv) => {
      const { keys } = resolveEncryption(undefined, env)!;
      return [keys.current().id, ...keys.ids()];
    };
    expect(ids({ LONGHAND_ENCRYPTION_KEYS: path })).toEqual(['one', 'one']);
    expect(ids({ LONGHAND_ENCRYPTION_KEY: text })).toEqual(['two', 'two']);
    expect(ids({ LONGHAND_ENCRYPTION_KEYS: path, LONGHAND_ENCRYPTION_KEY: text })).toEqual(['two', 'one', 'two']);
    expect(resolveEncryption(path, { LONGHAND_ENCRYPTION_KEY: text })!.keys.ids()).toEqual(['one']);
  });

  it('rejects a data converter that could leave failures readable', () => {
    expect(() => toSealingConverter({ failureConverterPath: '/x.cjs' }, resolveEncryption(first, {}))).toThrow(
      matchError('invalid_options'),
    );
  });
});
