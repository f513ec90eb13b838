import { Argument, InvalidArgumentError, Option } from 'commander';
import { didYouMean } from './nearest';

/** Reads a whole number of an option. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (!(number >= least && number <= most))
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    return number;
  };
}

/** Reads a URL, written as a header can carry it. */
export function wholeUrl(text: string): string {
  if (!URL.canParse(text))
    throw new InvalidArgumentError('It must be a whole URL, as in https://hooks.example.org/me.');
  return new URL(text).href;
}

const among =
  (choices: readonly string[]) =>
  (text: string): string => {
    if (choices.includes(text)) return text;
    throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.${didYouMean(text, choices)}`);
  };

/** An option with one of a few values; a word that is nearly one of them is answered with that. */
export const choice = (flags: string, description: string, choices: readonly string[]): Option =>
  new Option(flags, description).choices(choices).argParser(among(choices));

/** The same for an argument. */
export const choiceArgument = (name: string, description: string, choices: readonly string[]): Argument =>
  new Argument(name, description).choices(choices).argParser(among(choices));
