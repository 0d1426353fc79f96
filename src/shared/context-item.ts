import { z } from 'zod';
import { SnapshotHash } from './workspace';

/** What a context item is; every kind but `image` is sent as text. */
export const ContextItemKind = z.enum([
  'file',
  'folder',
  'image',
  'diff',
  'text',
  'artifact',
  'resource',
  'session',
]);
export type ContextItemKind = z.infer<typeof ContextItemKind>;

/** Something that the user attached to a line: its content is stored by hash, exactly as it is sent. */
export const ContextItem = z.object({
  kind: ContextItemKind,
  /** Where it comes from: a path, an address or a name. Untrusted text. */
  ref: z.string().min(1).max(4_096),
  /** SHA-256 of the stored content, hex. */
  hash: SnapshotHash,
  /** Size of the stored content. */
  bytes: z.number().int().nonnegative(),
  /** About what it costs a model. */
  tokens: z.number().int().nonnegative(),
  /** Images only. */
  mediaType: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']).optional(),
});
export type ContextItem = z.infer<typeof ContextItem>;

/** Maximum items of one line. */
export const maxContextItems = 50;

export const ContextItems = z.array(ContextItem).max(maxContextItems);

/** Maximum size of an item's text. */
export const maxItemTextBytes = 1_000_000;
/** Maximum size of a file that is read for an item, before it is resized or turned into text. */
export const maxAttachedFileBytes = 25_000_000;

/** What the user names as an item of a line. */
export const AttachSource = z.discriminatedUnion('type', [
  /** Absolute, or relative to the project. */
  z.object({ type: z.literal('path'), path: z.string().min(1).max(4_096) }),
  /** Content without a file: a pasted picture. */
  z.object({
    type: z.literal('content'),
    name: z.string().min(1).max(300),
    bytes: z.instanceof(Uint8Array).refine(({ length }) => length <= maxAttachedFileBytes),
  }),
  /** What is not committed yet, or what is staged. */
  z.object({ type: z.literal('diff'), staged: z.boolean() }),
  z.object({ type: z.literal('session'), id: z.string().min(1).max(64) }),
  /** The definition of a name in a project file; `line` from 1. */
  z.object({
    type: z.literal('symbol'),
    path: z.string().min(1).max(4_096),
    line: z.number().int().positive(),
    name: z.string().min(1).max(300),
  }),
  /** A resource of an MCP server. */
  z.object({
    type: z.literal('resource'),
    server: z.string().min(1).max(200),
    uri: z.string().min(1).max(4_096),
  }),
]);
export type AttachSource = z.infer<typeof AttachSource>;

export const AttachRequest = z.object({
  source: AttachSource,
  /** The user confirmed an item that looks like a secret. */
  confirmed: z.boolean().optional(),
});
export type AttachRequest = z.infer<typeof AttachRequest>;

/** An item that can be sent, or the question that comes first. */
export type Attached =
  | { readonly type: 'attached'; readonly item: ContextItem }
  /** It looks like a secret: attach it again with `confirmed` if the user wants to send it. */
  | { readonly type: 'looks-secret'; readonly ref: string; readonly why: string };

/** What an item contains, for the user. */
export type ItemContent =
  { readonly type: 'text'; readonly text: string } | { readonly type: 'image'; readonly dataUrl: string };

/** Something that the user can attach, as a menu offers it. */
export interface AttachOption {
  readonly source: AttachSource;
  readonly kind: ContextItemKind;
  readonly name: string;
  /** Where it comes from, in nobody's language: a place in a file or the name of a server; often empty. */
  readonly about: string;
}
