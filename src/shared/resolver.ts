import { z } from 'zod';
import { EntityHeader, RelatedEntityRef } from './work-context';

/** A command and its argument. */
export const CommandCall = z.strictObject({ commandId: z.string(), id: z.string() });
export type CommandCall = z.infer<typeof CommandCall>;

/**
 * One selectable item (AGN-000037 §5). Activating it makes `relatedEntities` the focus's related entities.
 */
export const ResolverItem = z.strictObject({
  header: EntityHeader,
  description: z.string().optional(),
  aliases: z.array(z.string()).default([]),
  keywords: z.array(z.string()).default([]),
  /** Informational: a picker shows `count` and `lastUsedAt` (a date) when present. */
  usageStats: z.record(z.string(), z.unknown()).optional(),
  relatedEntities: z.array(RelatedEntityRef).optional(),
  /** The item's own text, if any: an email template's message, with `Subject: …` as its first line. */
  content: z.string().max(200_000).optional(),
  /** Excluded from lists and near misses; only a line that names it exactly reaches it. */
  unlisted: z.boolean().optional(),
  /** A user or a pack chose its name, so a line that does not name its type reaches it by id only. */
  userTitled: z.boolean().optional(),
});
/** `runs` is the command that an item stands for; only code supplies it, never a file. */
export type ResolverItem = z.infer<typeof ResolverItem> & { readonly runs?: CommandCall };

/** Source of items: a catalog (data, or filled by code under a catalog's name) or a provider (code). */
export const ResolverSource = z.union([
  z.strictObject({ catalogId: z.string().min(1) }),
  z.strictObject({ providerId: z.string().min(1) }),
]);
export type ResolverSource = z.infer<typeof ResolverSource>;

/** The id of a source; catalogs and providers share one namespace. */
export function sourceId(source: ResolverSource): string {
  return 'catalogId' in source ? source.catalogId : source.providerId;
}

/**
 * Nouns for the items of a source: `one` and `many` each list every name, longest first
 * ("email template", "template").
 */
export const SourceNouns = z.strictObject({
  one: z.array(z.string().min(1)).min(1),
  many: z.array(z.string().min(1)).min(1),
});
export type SourceNouns = z.infer<typeof SourceNouns>;

/** A source without its items: what the router's patterns and the picker's title need. */
export const SourceDefinition = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9_]*$/),
  displayName: z.string().min(1),
  nouns: SourceNouns,
  /**
   * `open`: any text may be a name (files, tickets), so bare phrases match by id only. `free`: every text is an
   * item, such as a new title.
   */
  vocabulary: z.enum(['curated', 'open', 'free']).default('curated'),
  /** The entity type of its items when in focus. */
  entityType: z.string().min(1).optional(),
  domain: z.string().min(1).optional(),
  /** The version of a catalog's items, shown in a picker's header. */
  version: z.string().optional(),
  /**
   * `false`: palette, slash menu and application menu leave out the source and its commands until their first use,
   * or until the user has something of the kind. A line reaches them anyway.
   */
  listed: z.literal(false).optional(),
});
export type SourceDefinition = z.infer<typeof SourceDefinition>;

/** A catalog file. Without `items`, code provides the items under the same id. */
export const CatalogFile = z.strictObject({
  catalogId: z.string().regex(/^[a-z][a-z0-9_]*$/),
  ...SourceDefinition.omit({ id: true }).shape,
  /** Default: `curated` for Patina's catalogs, `open` for a pack's. */
  vocabulary: SourceDefinition.shape.vocabulary.unwrap().optional(),
  items: z.array(ResolverItem).optional(),
  refreshedAt: z.iso.datetime({ offset: true }).optional(),
  ttlSeconds: z.number().int().positive().optional(),
});
export type CatalogFile = z.infer<typeof CatalogFile>;

/** Freshness of a source's items. `stale` items may be shown but are never invoked without asking. */
export type SourceStatus =
  | { readonly state: 'ready' | 'loading' }
  | { readonly state: 'stale'; readonly refreshedAt?: number }
  | { readonly state: 'failed'; readonly reason: string };
