import { IntlMessageFormat } from 'intl-messageformat';
import { createElement, Fragment, type ReactNode } from 'react';
import { languageOf, type Language } from '#shared/language';
import type { RowNames } from '#shared/row-names';
import en from './en.json';

type Catalogue = typeof en;

/** `'composer.send'`: the dotted paths of all messages below a section of the file. */
type PathIn<Section> = {
  [Key in keyof Section & string]: Section[Key] extends string ? Key : `${Key}.${PathIn<Section[Key]>}`;
}[keyof Section & string];

/** The path of a message in `en.json`; one that is missing there is a type error. */
export type TextKey = PathIn<Catalogue>;

type Values = Readonly<Record<string, string | number>>;
type RichValues = Readonly<Record<string, ReactNode | ((inner: ReactNode) => ReactNode)>>;

interface Words {
  readonly catalogue: Catalogue;
  readonly rowNames: RowNames | null;
}

/** The other languages, each with exactly the keys of the English catalogue, and the names of built-in rows. */
const others = {
  de: async () => ({
    catalogue: (await import('./de.json')).default,
    rowNames: (await import('#shared/row-names-de')).germanRowNames,
  }),
} satisfies Record<Exclude<Language, 'en'>, () => Promise<Words>>;

/** The language of this page, which main puts into its address; another language is another page. */
export const language = languageOf(new URLSearchParams(location.search).get('lang') ?? '', []);

/** The locale of numbers, dates and lists: the language in the user's region, if the system names one. */
export const locale = navigator.languages.find((tag) => tag.split('-')[0] === language) ?? language;

const { catalogue, rowNames }: Words =
  language === 'en' ? { catalogue: en, rowNames: null } : await others[language]();

/** The names of built-in rows in the language of the window; null: the rows' own. */
export { rowNames };

/** Messages that were used: as they are when they have no placeholder, else parsed. */
const messages = new Map<TextKey, string | IntlMessageFormat>();

/**
 * The message of a key in the language of the window, with its placeholders filled in. Give the parts of a key
 * that vary as a template (`text(`run.status.${status}`)`): the compiler then checks that each of them exists.
 */
export function text(key: TextKey, values?: Values): string {
  const message = messageOf(key);
  return typeof message === 'string' ? message : String(message.format(values));
}

/**
 * A message that has elements in it: each value is a node, or renders what its tag encloses
 * (`"Read <link>the guide</link>"` with `link: (inner) => <a href={url}>{inner}</a>`).
 */
export function richText(key: TextKey, values: RichValues): ReactNode {
  const message = messageOf(key);
  if (typeof message === 'string') return message;
  const filled = Object.entries(values).map(([name, value]) => [name, asPart(value)] as const);
  return inFragment(message.format<ReactNode>(Object.fromEntries(filled)));
}

function asPart(value: RichValues[string]) {
  return typeof value === 'function' ? (parts: ReactNode[]) => value(inFragment(parts)) : value;
}

/** Parts of one sentence have a fixed order, so they need no keys. */
const inFragment = (parts: ReactNode | ReactNode[]) => createElement(Fragment, null, ...[parts].flat());

/** Parses a message when it is first used. */
function messageOf(key: TextKey): string | IntlMessageFormat {
  const known = messages.get(key);
  if (known !== undefined) return known;
  const source = sourceOf(key);
  const message = /[{<]|''/u.test(source) ? new IntlMessageFormat(source, locale) : source;
  messages.set(key, message);
  return message;
}

const sourceOf = (key: TextKey): string => findText(key) ?? key;

/**
 * A message without placeholders whose key is made of data, such as the name of a field; undefined if there is
 * none.
 */
export function findText(key: string): string | undefined {
  let found: unknown = catalogue;
  for (const part of key.split('.')) found = Reflect.get(Object(found), part);
  return typeof found === 'string' ? found : undefined;
}
