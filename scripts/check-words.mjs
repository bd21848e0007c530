/**
 * The second part of `npm run lint`: rejects the words that docs/glossary.md lists as not used, with the better word, and words of a
 * few rooms in other rooms. Without arguments it checks all source, test and documentation files; otherwise the given ones.
 */

import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { root } from './child.mjs';
import { main } from './stage.mjs';

const glossary = join(root, 'docs/glossary.md');

/** Files that are not checked: the list itself, and scenarios whose texts are in the stored histories. */
const excluded = [
  glossary,
  join(root, 'test/histories/scenarios.ts'),
  join(root, 'test/histories/delegation-scenarios.ts'),
];

/** The rows of the glossary's last table: `| word, words | better |`. A row with a condition is not checked. */
export function readWords(markdown) {
  const table = markdown.slice(markdown.indexOf('## Words that Longhand does not use'));
  const rows = [...table.matchAll(/^\| (?!not \|)([a-z, ]+) \| (.+) \|$/gm)];
  return rows.flatMap(([, words, better]) => words.split(', ').map((word) => ({ word, better })));
}

/** The rows of the table of words of a few rooms: `| word | meaning | \`room\`, … |`. A room is a path below src. */
export function readRoomWords(markdown) {
  const [table] = markdown.slice(markdown.indexOf('### Words of a few rooms')).split('\n## ');
  return [...table.matchAll(/^\| ([a-z]+) \| .+ \| (`.+`) \|$/gm)].map(([, word, rooms]) => ({
    word,
    rooms: rooms.split(', ').map((room) => room.replaceAll('`', '')),
  }));
}

/** Each use of a word in a file of src outside of its rooms, also as a part of a name: its line and the word. */
export function findMisplacedWords(path, text, words) {
  const elsewhere = words.filter(({ rooms }) => !rooms.some((room) => path === room || path.startsWith(`${room}/`)));
  if (elsewhere.length === 0) return [];
  const forms = elsewhere.map(({ word: [first, ...rest] }) => {
    const [upper, ending] = [first.toUpperCase(), rest.join('')];
    return `(?<![A-Za-z])[${first}${upper}]${ending}|(?<=[a-z])${upper}${ending}`;
  });
  const pattern = new RegExp(`(?:${forms.join('|')})s?(?![a-z])`, 'g');
  return text.split('\n').flatMap((line, index) => {
    if (line.includes(" from '")) return [];
    return [...line.matchAll(pattern)].map(([word]) => ({ line: index + 1, word }));
  });
}

/** Each use of a listed word, its first letter in any case: its line, the word, the better one. Markdown in backticks is data. */
export function findWords(text, words, { markdown = false } = {}) {
  // Capital letters count inside a phrase: Python's `is None` is no English.
  const forms = words.map(({ word }) => `[${word[0].toUpperCase()}${word[0]}]${word.slice(1).replaceAll(' ', '\\s+')}`);
  const pattern = new RegExp(`\\b(${forms.join('|')})\\b`, 'g');
  const better = new Map(words.map(({ word, better }) => [word, better]));
  return text.split('\n').flatMap((line, index) => {
    const prose = markdown ? line.replace(/`[^`]*`/g, '') : line;
    return [...prose.matchAll(pattern)].map(([word]) => ({
      line: index + 1,
      word,
      better: better.get(word.toLowerCase()),
    }));
  });
}

async function listFiles() {
  const below = async (folder, ending) =>
    (await readdir(join(root, folder), { recursive: true }))
      .filter((name) => ending.test(name))
      .map((name) => join(root, folder, name));
  const code = ['src', 'test', 'examples', 'bench', 'scripts'].map((folder) => below(folder, /\.(ts|mjs|cjs|md)$/));
  const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].map((name) => join(root, name));
  return [...(await Promise.all([...code, below('docs', /\.md$/)])).flat(), ...pages];
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  await main(async (args) => {
    const markdown = await readFile(glossary, 'utf8');
    const words = readWords(markdown);
    const roomWords = readRoomWords(markdown);
    const files = (args.length > 0 ? args.map((file) => join(root, file)) : await listFiles()).filter(
      (file) => !excluded.includes(file),
    );
    let uses = 0;
    for (const file of files) {
      const text = await readFile(file, 'utf8');
      const found = findWords(text, words, { markdown: file.endsWith('.md') });
      for (const { line, word, better } of found)
        process.stdout.write(`${relative(root, file)}:${line}: "${word}" is not used. Use: ${better}\n`);
      const path = relative(join(root, 'src'), file);
      const misplaced = path.startsWith('..') ? [] : findMisplacedWords(path, text, roomWords);
      for (const { line, word } of misplaced)
        process.stdout.write(`${relative(root, file)}:${line}: "${word}" is a word of other rooms. Use another one\n`);
      uses += found.length + misplaced.length;
    }
    process.stdout.write(
      uses === 0
        ? 'No word is used that the glossary rules out.\n'
        : `${uses} uses of words that docs/glossary.md rules out.\n`,
    );
    return uses === 0 ? 0 : 1;
  });
}
