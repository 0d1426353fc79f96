import { z } from 'zod';
import { ArtifactHandle } from './execution';
import { isObject, type Json } from './json';

/** What came beside the text of a tool's result: kept outside it by handle, or only named by its address. */
export const Attachment = z.object({
  type: z.enum(['image', 'audio', 'resource', 'link']),
  mimeType: z.string().max(200).optional(),
  name: z.string().max(300).optional(),
  uri: z.string().max(4_000).optional(),
  /** Where its base64 text is kept. */
  artifact: ArtifactHandle.optional(),
  /** Of the content itself, not of its base64 text. */
  bytes: z.number().int().nonnegative().optional(),
});
export type Attachment = z.infer<typeof Attachment>;

/** A record lists at most this many attachments. */
const maxAttachments = 50;

/** Where attachments stand in a result: the second where the server itself uses the first. */
export const attachmentNames = ['attachments', 'resultAttachments'] as const;

/** The attachments of a tool's result, as the MCP client gives them; what has another shape is none. */
export function attachmentsIn(result: Json): readonly Attachment[] {
  if (!isObject(result)) return [];
  const listed = attachmentNames.flatMap((name) => {
    const rows: Json | undefined = result[name];
    return Array.isArray(rows) ? (rows.slice(0, maxAttachments) as readonly Json[]) : [];
  });
  return listed.slice(0, maxAttachments).flatMap((one) => {
    const attachment = Attachment.safeParse(one);
    return attachment.success ? [attachment.data] : [];
  });
}
