/**
 * The kinds of rows in `old-names.json`: `word W` any identifier that contains this word, `prefix W` and
 * `suffix W` at its beginning and end, `text T` string literals, `file F` file names, `test word W`
 * identifiers of tests, else the identifier itself.
 * @typedef {{path: string, kind: 'product' | 'test' | 'testing', identifiers: readonly string[], members: readonly string[], texts: readonly string[]}} Named
 * @typedef {{name: string, contract: string, reason: string, files: readonly string[]}} StoredName
 * @typedef {{area: string, name: string, term: string, uses: number}} NameCount
 */

/**
 * @param {string} name such as `createTurnQueue` or `TURN_QUEUE`
 * @returns {string[]} its words in lower case
 */
export const wordsOf = (name) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[ _$]+/)
    .filter((word) => word !== '');

/**
 * Finds a phrase in a text. "There is no X" and "is no longer" are plain English, and decision 81 writes a
 * stored name in brackets after the window's word.
 * @param {string} phrase
 */
const textRule = (phrase) => new RegExp(`(?<!there |[(])\\b${phrase}\\b(?! longer)`, 'u');

/** Names that a library or the language defines. */
const libraryNames = new Set(['allSettled', 'keepMounted']);

/** @param {Iterable<string>} names @returns {Map<string, number>} */
function tally(names) {
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** @param {ReadonlyMap<string, number>} counts @param {(name: string) => boolean} matches */
const sumWhere = (counts, matches) =>
  [...counts].reduce((sum, [name, uses]) => (matches(name) ? sum + uses : sum), 0);

/** @param {string} rule @returns {[string, string]} kind and word */
function splitRule(rule) {
  const [, kind, word] = /^(test word|word|prefix|suffix|text|file) (.+)$/.exec(rule) ?? [];
  return kind !== undefined && word !== undefined ? [kind, word] : ['name', rule];
}

/**
 * The identifiers of a file without the members that a stored event, a request or the command line names: a new
 * word there would break what users already have.
 * @param {Named} file
 * @param {readonly StoredName[]} stored
 */
function renamable({ path, identifiers, members }, stored) {
  const fixed = new Set(stored.filter(({ files }) => files.includes(path)).map(({ name }) => name));
  const left = tally(members.filter((name) => fixed.has(name)));
  return identifiers.filter((name) => {
    const count = left.get(name) ?? 0;
    if (count > 0) left.set(name, count - 1);
    return count === 0;
  });
}

/**
 * @param {readonly Named[]} files
 * @param {readonly StoredName[]} stored
 * @param {ReadonlySet<string>} terms the new names, which never count as old
 */
function counter(files, stored, terms) {
  const product = files.filter(({ kind }) => kind === 'product');
  const standard = (/** @type {string} */ name) => !terms.has(name) && !libraryNames.has(name);
  const names = tally(product.flatMap((file) => renamable(file, stored)).filter(standard));
  const testNames = tally(
    files.filter(({ kind }) => kind !== 'product').flatMap(({ identifiers }) => identifiers),
  );
  const texts = product.flatMap((file) => file.texts.map((text) => text.toLowerCase()));
  const fileNames = files.map(({ path }) => path.replace(/^.*[/]/, '').replace(/[.].*$/, ''));
  /** @type {Record<string, (word: string) => number>} */
  const kinds = {
    name: (word) => names.get(word) ?? 0,
    word: (word) => sumWhere(names, (name) => wordsOf(name).includes(word)),
    'test word': (word) => sumWhere(testNames, (name) => wordsOf(name).includes(word)),
    prefix: (word) => sumWhere(names, (name) => wordsOf(name)[0] === word),
    suffix: (word) =>
      sumWhere(names, (name) => /^[A-Z].*[a-z]/.test(name) && name !== word && name.endsWith(word)),
    text: (word) => texts.filter((text) => textRule(word).test(text)).length,
    file: (word) =>
      fileNames.filter((name) => name === word || (word.startsWith('-') && name.endsWith(word))).length,
  };
  return (/** @type {string} */ rule) => {
    const [kind, word] = splitRule(rule);
    return kinds[kind]?.(word) ?? 0;
  };
}

/**
 * @param {readonly Named[]} files
 * @param {Record<string, Record<string, string>>} table area -> old name -> standard term
 * @param {readonly StoredName[]} stored names that cannot change, and where they are used
 * @returns {NameCount[]} one per row, in the table's order
 */
export function countOldNames(files, table, stored) {
  const rows = Object.entries(table).flatMap(([area, names]) =>
    Object.entries(names).map(([name, term]) => ({ area, name, term })),
  );
  const terms = new Set(
    rows.filter(({ name }) => !name.startsWith('text ')).flatMap(({ term }) => term.split(', ')),
  );
  const count = counter(files, stored, terms);
  return rows.map((row) => ({ ...row, uses: count(row.name) }));
}
