import { Argument, InvalidArgumentError, Option } from 'commander';

/** Parses an option that takes a whole number. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (!(number >= least && number <= most))
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    return number;
  };
}

/** Parses a URL and normalizes it, so that it can be sent in a header. */
export function wholeUrl(text: string): string {
  if (!URL.canParse(text))
    throw new InvalidArgumentError('It must be a complete URL, as in https://hooks.example.org/me.');
  return new URL(text).href;
}

const parseChoice =
  (choices: readonly string[]) =>
  (text: string): string => {
    if (choices.includes(text)) return text;
    throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.${didYouMean(text, choices)}`);
  };

/** An option with a few allowed values; a mistyped value gets a suggestion. */
export const choice = (flags: string, description: string, choices: readonly string[]): Option =>
  new Option(flags, description).choices(choices).argParser(parseChoice(choices));

/** An argument with a few allowed values; a mistyped value gets a suggestion. */
export const choiceArgument = (name: string, description: string, choices: readonly string[]): Argument =>
  new Argument(name, description).choices(choices).argParser(parseChoice(choices));

/** Characters. A shorter prefix matches too many words. */
const MIN_PREFIX = 3;

/** The closest of some words to a mistyped one; null if none is close. */
export function nearest(written: string, words: readonly string[]): string | null {
  const prefixed = words.filter((word) => written.length >= MIN_PREFIX && word.startsWith(written.toLowerCase()));
  if (prefixed.length === 1) return prefixed[0];
  const [best] = words
    .map((word) => ({ word, edits: editsBetween(written.toLowerCase(), word.toLowerCase()) }))
    .sort((one, other) => one.edits - other.edits);
  return best && best.edits <= Math.max(1, Math.floor(best.word.length * 0.4)) ? best.word : null;
}

export function didYouMean(written: string, words: readonly string[]): string {
  const meant = nearest(written, words);
  return meant === null ? '' : ` Did you mean ${meant}?`;
}

/** Edit distance between two words: inserted, deleted, replaced and transposed letters. */
function editsBetween(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const change = one[i - 1] === other[j - 1] ? 0 : 1;
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row.push(
        Math.min(
          rows[i - 1][j] + 1,
          row[j - 1] + 1,
          rows[i - 1][j - 1] + change,
          isSwap ? rows[i - 2][j - 2] + 1 : Infinity,
        ),
      );
    }
    rows.push(row);
  }
  return rows[one.length][other.length];
}

/** Values of suppliedFileOptions. */
export interface SuppliedFileOptions {
  readonly surnames?: '2010' | '2020';
  readonly firstNames?: 'race' | 'none';
}

/** Options for the reference files that the operator supplies. @param byDefault - the choice without an option */
export const suppliedFileOptions = (byDefault: {
  readonly surnames: string;
  readonly firstNames: string;
}): Option[] => [
  choice(
    '--surnames <census>',
    `newest surname file: 2010, or 2020 with census/surnames/2020/names.zip of your own beside the official files (default: ${byDefault.surnames})`,
    ['2010', '2020'],
  ),
  choice(
    '--first-names <shares>',
    `first names in ethnicity by place: race, with dataverse/firstnames.csv of your own beside the official files, or none (default: ${byDefault.firstNames})`,
    ['race', 'none'],
  ),
];
