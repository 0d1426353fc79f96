import { z } from 'zod';
import { EntityHeader, RelatedEntityRef } from './work-context';

/** One thing that can be chosen (AGN-000037 §5). `relatedEntities` become those of the focus when it is activated. */
export const ResolverItem = z.strictObject({
  header: EntityHeader,
  description: z.string().optional(),
  aliases: z.array(z.string()).default([]),
  keywords: z.array(z.string()).default([]),
  /** For information only: a picker shows `count` and `lastUsedAt` (a date) where they are given. */
  usageStats: z.record(z.string(), z.unknown()).optional(),
  relatedEntities: z.array(RelatedEntityRef).optional(),
  /** The item's own text where it has one: an email template's message, with `Subject: …` as its first line. */
  content: z.string().max(200_000).optional(),
  /** In no list and no near miss: only a line that names it exactly reaches it. */
  unlisted: z.boolean().optional(),
  /** A user or a pack gave it its name: a line that does not say what kind of thing it means reaches it by its id alone. */
  userTitled: z.boolean().optional(),
});
export type ResolverItem = z.infer<typeof ResolverItem>;

/** Where items come from: a catalog (data, or filled by code under a catalog's name) or a provider (code). */
export const ResolverSource = z.union([
  z.strictObject({ catalogId: z.string().min(1) }),
  z.strictObject({ providerId: z.string().min(1) }),
]);
export type ResolverSource = z.infer<typeof ResolverSource>;

/** The id of a source; catalogs and providers share one space of names. */
export function sourceId(source: ResolverSource): string {
  return 'catalogId' in source ? source.catalogId : source.providerId;
}

/** What the items of a source are called: `one` and `many` each hold every name, the longest first ("email template", "template"). */
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
  /** `open`: anything may be a name here (files, tickets), so bare phrases reach it by id only. */
  vocabulary: z.enum(['curated', 'open']).default('curated'),
  /** The entity type its items have as a focus. */
  entityType: z.string().min(1).optional(),
  domain: z.string().min(1).optional(),
  /** The version of a catalog's items, as a picker's header shows it. */
  version: z.string().optional(),
});
export type SourceDefinition = z.infer<typeof SourceDefinition>;

/** A catalog file. Without `items` its items come from code under the same id. */
export const CatalogFile = z.strictObject({
  catalogId: z.string().regex(/^[a-z][a-z0-9_]*$/),
  ...SourceDefinition.omit({ id: true }).shape,
  /** Without it: `curated` for a catalog that Patina brings, `open` for one of a pack. */
  vocabulary: SourceDefinition.shape.vocabulary.unwrap().optional(),
  items: z.array(ResolverItem).optional(),
  refreshedAt: z.iso.datetime({ offset: true }).optional(),
  ttlSeconds: z.number().int().positive().optional(),
});
export type CatalogFile = z.infer<typeof CatalogFile>;

/** How current a source's items are. `stale` ones may be shown, never invoked without asking. */
export type SourceStatus =
  | { readonly state: 'ready' | 'loading' }
  | { readonly state: 'stale'; readonly refreshedAt?: number }
  | { readonly state: 'failed'; readonly reason: string };
