import { Injectable } from '@nestjs/common';
import { NAMES_OF_NICKNAMES } from '@donorlens/charts';
import { ADULT_AGE, baseLetters, firstNameKey, frequentNames, type KeyIndex } from '@donorlens/demographics';
import { OFFICE_NAMES, officeOf } from '@donorlens/primitives';
import { type Release, ReleaseHolder } from '@donorlens/reference-data';
import { distance } from 'fastest-levenshtein';
import { ChartSearch, type Searchable } from '../../charts/chart-search';
import { ethnicityAnswer } from '../../lookups/ethnicity-results';
import { lookupPath } from '../../lookups/lookup-pages';
import { AGES, candidatePath, chartsUrl } from '../charts/chart-subject';
import { displayName } from '../charts/display-names';
import { capitalized, isoDay } from '../layout/labels';

export const HIT_KINDS = ['candidate', 'committee', 'name', 'surname'] as const;
export type HitKind = (typeof HIT_KINDS)[number];

/** A search result and its page. */
export interface Hit {
  readonly kind: HitKind;
  /** id of a candidate or committee; otherwise the name */
  readonly id: string;
  readonly label: string;
  readonly note: string;
  readonly url: string;
}

interface Entry {
  /** words that a search is compared with: without accents, in upper case */
  readonly words: readonly string[];
  readonly toHit: () => Hit;
}

/** Size of the indexes of first names and of surnames; rarer ones are found only by their full spelling. */
const MAX_NAMES = 20_000;
/** No entry has a longer name, and comparing long texts is slow. */
const MAX_LETTERS = 60;
const MAX_WORDS = 5;

const wordsOf = (text: string): string[] =>
  baseLetters(text)
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter(Boolean);

/** A year that may name a cycle; hits show all cycles. */
const isCycle = (word: string): boolean => /^(19|20)\d[02468]$/.test(word);

/** Words of a search, without cycles unless there are no other words. */
function givenWords(text: string): string[] {
  const words = wordsOf(text.slice(0, MAX_LETTERS));
  const others = words.filter((word) => !isCycle(word));
  return (others.length > 0 ? others : words).slice(0, MAX_WORDS);
}

/** Nicknames of a given name, and the given names of a nickname. */
const OTHER_FORMS = otherForms();

function otherForms(): ReadonlyMap<string, readonly string[]> {
  const forms = new Map<string, string[]>();
  const add = (name: string, form: string): void => void forms.set(name, [...(forms.get(name) ?? []), form]);
  for (const [nickname, name] of NAMES_OF_NICKNAMES) {
    add(name, nickname);
    add(nickname, name);
  }
  return forms;
}

/** Words of a name as filed, `SANDERS, BERNARD`, and other forms of its given names: `BERNIE`. */
export function candidateWords(filed: string): string[] {
  const [name] = filed.split('/'); // the running mate follows a slash
  const given = wordsOf(name.split(',').slice(1).join(' '));
  return [...new Set([...wordsOf(name), ...given.flatMap((word) => OTHER_FORMS.get(word) ?? [])])];
}

/** Whether every given word is the prefix of a word of the entry. */
const isMatch = (words: readonly string[], given: readonly string[]): boolean =>
  given.every((part) => words.some((word) => word.startsWith(part)));

/** Number of letters by which the given words differ from the nearest words of the entry; Infinity without a match. */
function differenceOf(words: readonly string[], given: readonly string[]): number {
  let sum = 0;
  for (const part of given) {
    const near = words
      .map((word) => distance(part, word))
      .filter((letters, at) => letters <= maxDifference(part, words[at]));
    if (near.length === 0) return Infinity;
    sum += Math.min(...near);
  }
  return sum;
}

/** A third of the letters of the shorter word, rounded. */
const maxDifference = (one: string, other: string): number => Math.round(Math.min(one.length, other.length) / 3);

/** The first entries that match, in their order. */
export function matching<T extends Pick<Entry, 'words'>>(entries: readonly T[], text: string, max: number): T[] {
  const given = givenWords(text);
  const found: T[] = [];
  if (given.length === 0) return found;
  for (const entry of entries) {
    if (found.length === max) break;
    if (isMatch(entry.words, given)) found.push(entry);
  }
  return found;
}

/** The entries that differ least from a misspelled text; ties keep their order. */
export function nearest<T extends Pick<Entry, 'words'>>(entries: readonly T[], text: string, max: number): T[] {
  const given = givenWords(text);
  if (given.length === 0) return [];
  return entries
    .map((entry) => ({ entry, difference: differenceOf(entry.words, given) }))
    .filter(({ difference }) => difference < Infinity)
    .sort((a, b) => a.difference - b.difference)
    .slice(0, max)
    .map(({ entry }) => entry);
}

type Entries = Readonly<Record<HitKind, readonly Entry[]>>;

/** Candidates and committees with donors, first names and surnames. */
@Injectable()
export class SearchIndex {
  private donors: (Pick<Entries, 'candidate' | 'committee'> & { readonly of: readonly Searchable[] }) | undefined;
  private names: (Pick<Entries, 'name' | 'surname'> & { readonly of: Release }) | undefined;

  constructor(
    private readonly search: ChartSearch,
    private readonly releases: ReleaseHolder,
  ) {}

  /** Hits of these kinds, at most `max` of each kind; those with the most donors, births or people first. */
  async find(text: string, kinds: readonly HitKind[], max: number): Promise<Hit[]> {
    const entries = await this.entries();
    return kinds.flatMap((kind) => {
      const hits = matching(entries[kind], text, max).map((entry) => entry.toHit());
      if (hits.length > 0) return hits;
      return kind === 'name' ? this.exactFirstName(text) : kind === 'surname' ? this.exactSurname(text) : [];
    });
  }

  /** Hits of these kinds with similar spelling; if none is similar to all words, hits for each word. */
  async suggest(text: string, kinds: readonly HitKind[], max: number): Promise<Hit[]> {
    const entries = await this.entries();
    const nearTo = (given: string): Entry[] => kinds.flatMap((kind) => nearest(entries[kind], given, max));
    const near = nearTo(text);
    const words = givenWords(text);
    const matchOrNear = (word: string): Entry[] => {
      const matches = kinds.flatMap((kind) => matching(entries[kind], word, max));
      return matches.length > 0 ? matches : nearTo(word);
    };
    const found = near.length > 0 || words.length < 2 ? near : words.flatMap(matchOrNear);
    return [...new Set(found)].map((entry) => entry.toHit());
  }

  private async entries(): Promise<Entries> {
    const all = await this.search.searchable();
    if (this.donors?.of !== all) this.donors = { of: all, ...donorEntries(all) };
    return { ...this.donors, ...this.nameEntries() };
  }

  private nameEntries(): Pick<Entries, 'name' | 'surname'> {
    const release = this.releases.current();
    if (release === null) return { name: [], surname: [] };
    if (this.names?.of !== release) {
      const entriesOf = (keys: readonly string[], toHit: (key: string) => Hit): Entry[] =>
        keys.map((key) => ({ words: [key.toUpperCase()], toHit: () => toHit(key) }));
      const { births, surnames2010 } = release.tables;
      this.names = {
        of: release,
        name: entriesOf(frequentNames(births, MAX_NAMES), firstName),
        surname: entriesOf(firstKeys(surnames2010.names, MAX_NAMES), surname),
      };
    }
    return this.names;
  }

  /** Finds a rare first name. */
  private exactFirstName(text: string): Hit[] {
    const key = firstNameKey(text.slice(0, MAX_LETTERS));
    const release = this.releases.current();
    return release !== null && release.demographics.ages.nameIndex(key) >= 0 ? [firstName(key)] : [];
  }

  private exactSurname(text: string): Hit[] {
    const release = this.releases.current();
    const name = text.trim();
    if (release === null || name.length > MAX_LETTERS || wordsOf(name).length !== 1) return [];
    return ethnicityAnswer(release, name, thisYear()).requested === null ? [] : [surname(name)];
  }
}

function firstName(key: string): Hit {
  const id = capitalized(key.toLowerCase());
  const query = { min_age: String(ADULT_AGE), format: 'html' };
  const url = lookupPath(['age_gender', 'name', id, 'date', isoDay(new Date())], query);
  return { kind: 'name', id, label: id, note: 'first name', url };
}

function surname(name: string): Hit {
  const id = capitalized(name.toLowerCase());
  const url = lookupPath(['ethnicity', 'surname', id, 'year', String(thisYear())], { format: 'html' });
  return { kind: 'surname', id, label: id, note: 'surname', url };
}

const thisYear = (): number => new Date().getUTCFullYear();

/** The most frequent surnames: the files of the Census are sorted by rank. */
const firstKeys = (names: KeyIndex, max: number): string[] =>
  Array.from({ length: Math.min(max, names.size) }, (_, rank) => names.keyAt(rank));

/** Most donors first. */
function donorEntries(all: readonly Searchable[]): Pick<Entries, 'candidate' | 'committee'> {
  const names = new Map(all.map(({ id, name }) => [id, displayName(id, name) || id]));
  const sorted = [...all].sort((a, b) => b.donors - a.donors);
  const entryOf = (one: Searchable, toHit: () => Hit): Entry => ({
    words: [...candidateWords(one.name), one.id],
    toHit,
  });
  const isCandidate = ({ id, candidateId }: Searchable): boolean => id === candidateId;
  return {
    candidate: sorted.filter(isCandidate).map((one) => entryOf(one, () => candidateHit(one, names))),
    committee: sorted.filter((one) => !isCandidate(one)).map((one) => entryOf(one, () => committeeHit(one, names))),
  };
}

const yearsOf = ({ cycles }: Searchable): string => [...cycles].sort((a, b) => a - b).join(', ');

function candidateHit(one: Searchable, names: ReadonlyMap<string, string>): Hit {
  const note = `candidate for ${OFFICE_NAMES[officeOf(one.id) ?? 'P']}, ${yearsOf(one)}`;
  return { kind: 'candidate', id: one.id, label: names.get(one.id)!, note, url: candidatePath(one.id) };
}

function committeeHit(one: Searchable, names: ReadonlyMap<string, string>): Hit {
  const office = officeOf(one.candidateId) ?? 'P';
  const lists = { committee_id: [one.id], office: office === 'P' ? [] : [office], ...AGES.defaults };
  const url = chartsUrl(AGES.file.path, lists, { token: undefined }, 'html');
  const note = `committee of ${names.get(one.candidateId)}, ${yearsOf(one)}`;
  return { kind: 'committee', id: one.id, label: names.get(one.id)!, note, url };
}
