/** The words that `npm run lint` rejects. */

import { expect, it } from 'vitest';

const { findMisplacedWords, findWords, readRoomWords, readWords } = await import(
  new URL('../../scripts/check-words.mjs', import.meta.url).href
);

const glossary = `
### Words of a few rooms

| word | meaning | rooms |
| --- | --- | --- |
| slot | the right of a call to run | \`activities\`, \`core/model\` |

## Words that Longhand does not use

| not | but |
| --- | --- |
| zounds | again |
`;

it('a word that is not used is found, in any case of its first letter, and not in code of Markdown', () => {
  const words = readWords(glossary);
  const text = 'Zounds.\nOnce zounds, `zounds`';
  expect(findWords(text, words, { markdown: true })).toEqual([
    { line: 1, word: 'Zounds', better: 'again' },
    { line: 2, word: 'zounds', better: 'again' },
  ]);
});

it('a word of a few rooms is found in other rooms, also as a part of a name, and not in another word', () => {
  const words = readRoomWords(glossary);
  const text =
    "import { a } from './slots.js';\nslot\nconst freeSlots = new SlotQueue();\n// slotted, Slots from a queue";
  expect(findMisplacedWords('core/view/view.ts', text, words)).toEqual([
    { line: 2, word: 'slot' },
    { line: 3, word: 'Slots' },
    { line: 3, word: 'Slot' },
    { line: 4, word: 'Slots' },
  ]);
  expect(findMisplacedWords('core/model/agent.ts', text, words)).toEqual([]);
  expect(findMisplacedWords('activities/tool/run-tool.ts', text, words)).toEqual([]);
});
