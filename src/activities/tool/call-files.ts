/**
 * The files in a tool's result: stored, and replaced by descriptions. Their bytes are in no history.
 *
 * The call has happened, so a file that cannot be stored does not fail it: its description reports that (K1 of
 * call-store.ts).
 */

import { isObject, type Json, toErrorMessage } from '../../core/lib/index.js';
import {
  defaults,
  describeFile,
  type FileContent,
  formatFile,
  type StoredFile,
  type StoredParts,
} from '../../core/model/index.js';
import { noSecretMasker, type SecretMasker } from '../../core/redact/index.js';
import { isStoreError } from '../../store/index.js';
import { type ToolFile, toJson } from '../../tools/define/index.js';
import { redactBytes } from './call-secrets.js';
import type { CallStore } from './call-store.js';

interface FoundFile {
  readonly content: FileContent;
  /** In the result, in place of the file. */
  readonly description: string;
}

export interface FileCollector {
  /** Converts a result to JSON, with descriptions in place of its files. */
  readonly take: (returned: unknown) => Json;
  /** Stores the files that were taken. The value changes where one is not stored. */
  readonly store: (store: CallStore, value: Json) => Promise<ResultWithFiles>;
}

interface ResultWithFiles {
  readonly value: Json;
  /** Empty if the result has no file. */
  readonly parts: Pick<StoredParts, 'files'>;
}

export function createFileCollector(masker: SecretMasker): FileCollector {
  const fileContents: FoundFile[] = [];
  return {
    take: (returned) =>
      toJson(returned, (file) => {
        const content = redactFile(file, masker);
        const description = formatFile(describeFile(content));
        fileContents.push({ content, description });
        return description;
      }),
    store: async (store, value) => {
      const files: StoredFile[] = [];
      // By description, in the order of the files: two files may have the same one.
      const texts = new Map<string, string[]>();
      for (const [index, { content, description }] of fileContents.entries()) {
        const stored =
          index < defaults.files ? await storeFile(store, content) : `the result has more than ${defaults.files} files`;
        const text = typeof stored === 'string' ? `${description}, not stored: ${stored}` : description;
        texts.set(description, [...(texts.get(description) ?? []), text]);
        if (typeof stored !== 'string') files.push(stored);
      }
      return {
        value: files.length === fileContents.length ? value : replaceTexts(value, texts),
        parts: files.length === 0 ? {} : { files },
      };
    },
  };
}

/** Masks secrets in the name, the media type and the bytes. */
function redactFile({ name, data, mediaType }: ToolFile, masker: SecretMasker): FileContent {
  if (masker === noSecretMasker) return { name, data, mediaType };
  const type = mediaType === undefined ? {} : { mediaType: masker.text(mediaType) };
  return { name: masker.text(name), data: redactBytes(Buffer.from(data), masker), ...type };
}

/** Returns the stored file, or why it was not stored. */
async function storeFile({ blobs, owner, guard, log }: CallStore, content: FileContent): Promise<StoredFile | string> {
  if (blobs === null) return 'this worker has no store';
  const described = describeFile(content);
  const put = async () => {
    try {
      const { digest } = await blobs.put(owner, content.data, described.mediaType);
      return { ...described, digest };
    } catch (error) {
      if (isStoreError(error) && error.kind === 'tooLarge') return toErrorMessage(error);
      throw error;
    }
  };
  return (await guard(put, log)) ?? 'the store is unavailable';
}

/** Replaces each text that is equal to a key by the next of its texts. */
function replaceTexts(value: Json, texts: ReadonlyMap<string, string[]>): Json {
  if (typeof value === 'string') return texts.get(value)?.shift() ?? value;
  if (Array.isArray(value)) return value.map((item) => replaceTexts(item, texts));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, replaceTexts(member, texts)]));
}
