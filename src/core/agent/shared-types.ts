import type { JsonObject } from '#shared/json';
import { schemaType, type WriteObject } from './schema-type';

/** A schema to render, and what its value is called; a type without a name to go by stays in place. */
export interface NamedSchema {
  readonly schema: JsonObject;
  readonly hint: string;
}

/** A type as text, and the shared types that it names. */
export interface RenderedType {
  readonly text: string;
  readonly names: readonly string[];
}

/** Object types that several schemas have in common, each declared once under a name. */
export interface SharedTypes {
  readonly render: (schema: NamedSchema) => RenderedType;
  /** `type Order = {…}` for the given names and those that they refer to, each after those it refers to. */
  readonly declarations: (names: readonly string[]) => readonly string[];
}

/** Names that TypeScript gives a meaning. */
const builtIn = new Set(
  'Array Boolean Date Error Function JSON Map Math Number Object Promise Record RegExp Set String Symbol'.split(
    ' ',
  ),
);

const maxNameLength = 40;

/** Verbs that tools' names begin with: `get_order` returns an `Order`. */
const verbs = new Set(
  'get list read find search fetch query create update modify delete cancel set'.split(' '),
);

const wordsOf = (hint: string): readonly string[] =>
  hint.replace(/([a-z0-9])([A-Z])/g, '$1 $2').match(/[A-Za-z0-9]+/g) ?? [];

/** The last words that all hints have in common: a shipping and a billing address are an address. */
function commonWords([first = '', ...others]: readonly string[]): readonly string[] {
  const shared = others.map(wordsOf).reduce((common, words) => {
    const differs = common
      .toReversed()
      .findIndex((word, at) => word.toLowerCase() !== words.at(-1 - at)?.toLowerCase());
    return differs < 0 ? common : common.slice(common.length - differs);
  }, wordsOf(first));
  return shared.length > 1 && verbs.has(shared[0]?.toLowerCase() ?? '') ? shared.slice(1) : shared;
}

function typeName(hints: readonly string[]): string {
  const words = commonWords(hints).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const name = words.join('').slice(0, maxNameLength);
  if (!/^[A-Z]/.test(name)) return `Shared${name}`;
  return builtIn.has(name) ? `${name}Type` : name;
}

/** A shorter type is easier to read in place. */
const minTypeLength = 11;
/** Characters that a declaration needs besides the name and the type: `type  = ` and a line end. */
const declarationCharacters = 9;

interface Counted {
  readonly hints: Set<string>;
  uses: number;
}

const unused: Counted = { hints: new Set(), uses: 0 };

/** How often each object type is written when those in `named` are declared once. */
function countUses(
  schemas: readonly NamedSchema[],
  named: ReadonlySet<string> | null,
): ReadonlyMap<string, Counted> {
  const counts = new Map<string, Counted>();
  const write: WriteObject = (full, hint, written) => {
    if (hint === '') return written();
    const known = counts.get(full);
    if (known) known.uses += 1;
    else counts.set(full, { hints: new Set(), uses: 1 });
    counts.get(full)?.hints.add(hint);
    if (!known || named?.has(full) !== true) written();
    return full;
  };
  for (const { schema, hint } of schemas) schemaType(schema, { hint, write });
  return counts;
}

const saves = (full: string, { hints, uses }: Counted): boolean => {
  const name = typeName([...hints]).length;
  return (
    full.length >= minTypeLength &&
    uses > 1 &&
    (uses - 1) * full.length > (uses + 1) * name + declarationCharacters
  );
};

/** The object types worth a name: those that are written more than once, even when the others are named. */
function worthNaming(schemas: readonly NamedSchema[]): ReadonlyMap<string, Counted> {
  let counts = countUses(schemas, null);
  let named = new Set([...counts].flatMap(([full, counted]) => (saves(full, counted) ? [full] : [])));
  for (let before = Infinity; named.size < before;) {
    before = named.size;
    counts = countUses(schemas, named);
    const current = counts;
    named = new Set([...named].filter((full) => saves(full, current.get(full) ?? unused)));
  }
  return new Map([...counts].filter(([full]) => named.has(full)));
}

/**
 * Finds the object types that occur more than once and names each after its schema's title, its reference or
 * its place; equal schemas in the same order give the same names. Pure.
 */
export function createSharedTypes(schemas: readonly NamedSchema[]): SharedTypes {
  const nameOf = new Map<string, string>();
  for (const [full, { hints }] of worthNaming(schemas)) {
    const taken = new Set(nameOf.values());
    const wanted = typeName([...hints]);
    let name = wanted;
    for (let count = 2; taken.has(name); count += 1) name = `${wanted}${count}`;
    nameOf.set(full, name);
  }
  const declared = new Map<string, RenderedType>();
  const render = ({ schema, hint }: NamedSchema): RenderedType => {
    let names = new Set<string>();
    const write: WriteObject = (full, hint, written) => {
      const name = hint === '' ? undefined : nameOf.get(full);
      if (name === undefined) return written();
      if (!declared.has(name)) {
        const outer = names;
        names = new Set();
        declared.set(name, { text: '', names: [] });
        const text = written();
        declared.set(name, { text, names: [...names] });
        names = outer;
      }
      names.add(name);
      return name;
    };
    const text = schemaType(schema, { hint, write });
    return { text, names: [...names] };
  };
  const declarations = (names: readonly string[], done = new Set<string>()): readonly string[] =>
    names.flatMap((name) => {
      const type = declared.get(name);
      if (!type || done.has(name)) return [];
      done.add(name);
      return [...declarations(type.names, done), `type ${name} = ${type.text}`];
    });
  return { render, declarations: (names) => declarations(names) };
}
