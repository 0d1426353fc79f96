import { appError } from '#shared/app-error';
import type { CatalogFile, ResolverItem } from '#shared/resolver';
import { err, ok } from '#shared/result';
import type { ItemSource } from '../ports/item-source';
import { definitionOf } from './catalog-definition';

/** The code that supplies the items of a catalog whose file has none. */
export type CatalogFiller = Pick<ItemSource, 'scopeKey' | 'load' | 'ttlSeconds' | 'onChange'>;

const everywhere = (): string => '';

/** A list that is the same for every session. */
export function fixedItems(items: readonly ResolverItem[]): CatalogFiller {
  return { scopeKey: everywhere, load: () => Promise.resolve(ok(items)) };
}

/** The entity in the session's focus: a source of one item or none. */
export const focusItems: CatalogFiller = {
  scopeKey: ({ sessionId, state }) => `${sessionId ?? ''}:${state?.context?.entityHeader?.id ?? ''}`,
  load: ({ state }) => {
    const header = state?.context?.entityHeader;
    return Promise.resolve(ok(header ? [{ header, aliases: [], keywords: [] }] : []));
  },
};

function toSource(file: CatalogFile, filler: CatalogFiller | undefined): ItemSource {
  const { items, ttlSeconds, refreshedAt } = file;
  const filled = items ? fixedItems(items) : filler;
  const missing = appError('CONFIG', 'MISSING', `The catalog ${file.catalogId} has no items.`);
  return {
    source: { catalogId: file.catalogId },
    definition: definitionOf(file),
    ...(filled ?? { scopeKey: everywhere, load: () => Promise.resolve(err(missing)) }),
    ...(ttlSeconds !== undefined && { ttlSeconds }),
    ...(items && refreshedAt !== undefined && { refreshedAt: Date.parse(refreshedAt) }),
  };
}

/**
 * Turns catalog files into sources. A catalog without items in its file gets them from its filler (AGN-000037
 * §5).
 */
export function catalogSources(
  files: readonly CatalogFile[],
  fillers: ReadonlyMap<string, CatalogFiller>,
): readonly ItemSource[] {
  return files.map((file) => toSource(file, fillers.get(file.catalogId)));
}
