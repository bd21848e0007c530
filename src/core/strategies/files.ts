/**
 * Files in requests: as blocks where the model reads them, else as a line that describes them.
 *
 * A request has a limit of files, and the newest ones matter. Older files of results leave it in groups, so that the text
 * before the others stays the same from request to request, and the provider's prompt cache stays valid.
 */

import {
  type Call,
  type Chain,
  canReadFile,
  defaults,
  type FileBlock,
  formatFile,
  type StoredFile,
  type TextBlock,
} from '../model/index.js';
import { listRenderedSteps } from './summary.js';

/** Files that leave a request together. */
const groupSize = 10;

/** Renders the files of the task: each with its description, so that the model can name it. */
export function renderTaskFiles(chain: Chain): readonly (TextBlock | FileBlock)[] {
  const files = chain.state.input?.files ?? [];
  if (files.length === 0) return [];
  const sent = listSentFiles(chain);
  return files.flatMap((file) => {
    const line = `File: ${formatFile(file)}`;
    if (sent.has(file)) return [toText(line), toBlock(file)];
    return [toText(`${line}. Its content is not shown to you.`)];
  });
}

/** Renders the files of a result. Its text describes them. A reused result is shown where it was first. */
export function renderCallFiles(chain: Chain, { files = [], reusedFrom }: Call): readonly FileBlock[] {
  if (files.length === 0 || reusedFrom !== null) return [];
  const sent = listSentFiles(chain);
  return files.filter((file) => sent.has(file)).map(toBlock);
}

/** Chains are values: equal ones have equal files, and each is rendered once for many blocks. */
const sentFiles = new WeakMap<Chain, ReadonlySet<StoredFile>>();

function listSentFiles(chain: Chain): ReadonlySet<StoredFile> {
  const known = sentFiles.get(chain);
  if (known !== undefined) return known;
  const sent = new Set(chooseFiles(chain));
  sentFiles.set(chain, sent);
  return sent;
}

/** Chooses the files of the task, then the newest of results, within the limits of a request. */
function chooseFiles(chain: Chain): readonly StoredFile[] {
  const { agent, input } = chain.state;
  const canRead = (file: StoredFile) => canReadFile(file, agent?.model.files);
  const task = (input?.files ?? []).filter(canRead);
  const results = listRenderedSteps(chain)
    .flatMap(({ calls }) => calls.flatMap(({ files = [], reusedFrom }) => (reusedFrom === null ? files : [])))
    .filter(canRead);
  const excess = task.length + results.length - defaults.requestFiles;
  const newest = results.slice(excess <= 0 ? 0 : Math.ceil(excess / groupSize) * groupSize);
  let left = defaults.requestFileBytes;
  return [...task, ...newest.toReversed()].filter(({ bytes }) => {
    left -= bytes;
    return left >= 0;
  });
}

function toBlock(file: StoredFile): FileBlock {
  return { type: 'file', file };
}

function toText(text: string): TextBlock {
  return { type: 'text', text };
}
