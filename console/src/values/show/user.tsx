import type { RawSimpleValue, User } from '../../api/client.ts';
import type { ShowProps } from '../where.ts';

type UserValue = Extract<RawSimpleValue, { type: 'User' }>;

export function ShowUser({ value }: ShowProps<UserValue>) {
  return <PersonName person={value} />;
}

/** Colours by which people are told apart at a glance; the name always stands beside. */
const HUES = 12;

/** Only the initials, for where the name stands in a sentence. */
export function PersonMark({ person }: { readonly person: User }) {
  return (
    <span className={`initials hue-${hueOf(person.id)}`} aria-hidden="true">
      {initialsOf(person.name)}
    </span>
  );
}

export function PersonName({ person }: { readonly person: User }) {
  return (
    <span className="value-person">
      <PersonMark person={person} />
      <span className="value-person-name">{person.name}</span>
    </span>
  );
}

function hueOf(id: string): number {
  let sum = 0;
  for (const letter of id) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9_973;
  return sum % HUES;
}

/** Of names, as a page of rows has the same few many times. */
const initials = new Map<string, string>();
const INITIALS_MAX = 1_000;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const firstOf = (word: string): string => [...graphemes.segment(word)][0]?.segment ?? '';

/** One letter of the first and of the last name; of a name in one word, such as a Japanese one, its first sign. */
export function initialsOf(name: string): string {
  const known = initials.get(name);
  if (known !== undefined) return known;
  if (initials.size >= INITIALS_MAX) initials.clear();
  const read = readInitials(name);
  initials.set(name, read);
  return read;
}

function readInitials(name: string): string {
  const words = name.trim().split(/[\s\u3000]+/u);
  const [first = '', last = ''] = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return `${firstOf(first)}${firstOf(last)}`.toLocaleUpperCase();
}
