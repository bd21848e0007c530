/**
 * `LONGHAND_TEST_ENCRYPTION=1 npx vitest run --project temporal …` runs every test with encryption on, with the same results.
 * Otherwise no key of the user's environment is used.
 */

const keys = { current: 'test', keys: { test: { key: Buffer.alloc(32, 'tests').toString('base64') } } };

export const encryptedRun = process.env.LONGHAND_TEST_ENCRYPTION === '1';

export const encryptionEnvironment: Readonly<Record<string, string>> = {
  LONGHAND_ENCRYPTION_KEYS: '',
  LONGHAND_ENCRYPTION_KEY: encryptedRun ? JSON.stringify(keys) : '',
};
