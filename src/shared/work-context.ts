import { z } from 'zod';

/**
 * A reference to an entity: `id` is its identity; `displayName` is for display and may
 * be stale (AGN-000037 §4).
 */
export const EntityHeader = z.strictObject({ id: z.string().min(1), displayName: z.string() });
export type EntityHeader = z.infer<typeof EntityHeader>;

export const RelatedEntityRef = z.strictObject({
  entityType: z.string().min(1),
  header: EntityHeader,
  role: z.string().min(1),
});
export type RelatedEntityRef = z.infer<typeof RelatedEntityRef>;

/** The user's current work context. A header always has an entity type (AGN-000037 §4, Invariants). */
export const ActiveWorkContext = z
  .strictObject({
    domain: z.string().min(1).optional(),
    entityType: z.string().min(1).optional(),
    entityHeader: EntityHeader.optional(),
    relatedEntities: z.array(RelatedEntityRef).optional(),
  })
  .refine(({ entityHeader, entityType }) => entityHeader === undefined || entityType !== undefined, {
    path: ['entityType'],
    message: 'An entity is active without its type.',
  });
export type ActiveWorkContext = z.infer<typeof ActiveWorkContext>;

/** The cause of a mode or focus change: a user's command, or a tool call that the user approved. */
export const ChangeCause = z.union([
  z.strictObject({ commandId: z.string() }),
  z.strictObject({ toolCallId: z.string() }),
]);
export type ChangeCause = z.infer<typeof ChangeCause>;

/** The mode and the focus of a session when a line was sent. An absent part: the default mode, or no focus. */
export interface SentIn {
  readonly modeId?: string;
  readonly focus?: { readonly entityType: string; readonly header: EntityHeader };
}
