import type { CatalogFile, SourceDefinition } from '#shared/resolver';

/** A catalog file without its items. */
export function definitionOf(file: CatalogFile): SourceDefinition {
  const { catalogId, displayName, nouns, vocabulary = 'curated', entityType, domain, version, listed } = file;
  return {
    id: catalogId,
    displayName,
    nouns,
    vocabulary,
    ...(entityType !== undefined && { entityType }),
    ...(domain !== undefined && { domain }),
    ...(version !== undefined && { version }),
    ...(listed !== undefined && { listed }),
  };
}

/** All sources by id: catalog files, then sources built by code. */
export function sourceDefinitions(
  catalogs: readonly CatalogFile[],
  providers: readonly SourceDefinition[],
): ReadonlyMap<string, SourceDefinition> {
  return new Map([...catalogs.map(definitionOf), ...providers].map((source) => [source.id, source]));
}

/** Catalogs whose files list no items, because code supplies them. */
export const filledByCode: readonly string[] = [
  'modes',
  'ddrs',
  'workflows',
  'active_focus',
  'last_change',
  'last_writes',
];
