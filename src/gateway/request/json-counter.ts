/**
 * Counts the levels and the values of JSON in its bytes, before anything is built of them: a body of some megabytes can have
 * hundreds of thousands of values, and each costs memory, a copy and a check.
 *
 * The structure of JSON is ASCII, and no part of a longer UTF-8 sequence is. Of bytes that are no valid JSON, the count is right up
 * to the first error, where the parser stops as well.
 */

export class JsonCounter {
  private level = 0;
  private place: Place = outside;
  private mostLevels = 0;
  private allValues = 0;

  /** Most lists and objects inside one another, so far. */
  get levels(): number {
    return this.mostLevels;
  }

  /** Members of objects and items of lists, so far. */
  get values(): number {
    return this.allValues;
  }

  /** Counts the next bytes. Its variables are its own: members would take five times as long. */
  add(chunk: Uint8Array): void {
    let { level, place, mostLevels: levels, allValues: values } = this;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (place === inText) {
        if (byte === quote) place = outside;
        else if (byte === backslash) place = afterBackslash;
      } else if (place === afterBackslash) place = inText;
      else if (byte > space) {
        const closes = byte === closeList || byte === closeObject;
        if (byte === comma || (place === afterOpen && !closes)) values += 1;
        place = outside;
        if (byte === quote) place = inText;
        else if (closes) level -= 1;
        else if (byte === openList || byte === openObject) {
          place = afterOpen;
          level += 1;
          if (level > levels) levels = level;
        }
      }
    }
    this.level = level;
    this.place = place;
    this.mostLevels = levels;
    this.allValues = values;
  }
}

const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const openList = 0x5b;
const backslash = 0x5c;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

const outside = 0;
/** At the start of a list or an object, which may be empty. */
const afterOpen = 1;
const inText = 2;
const afterBackslash = 3;

type Place = typeof outside | typeof afterOpen | typeof inText | typeof afterBackslash;
