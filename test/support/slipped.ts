/** Secrets that no log may contain. */

export const slipped = {
  password: 'correct-horse-9',
  key: `sk-ant-api03-${'Zx9QwErTyUiOpAsDfGhJ'.repeat(4)}AbCdEfGhIjKlM-aZ09bYAA`,
} as const;
