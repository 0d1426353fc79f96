import { z } from 'zod';
import { ArtifactHandle } from './execution';
import { isObject, type Json } from './json';

/** Content beside the text of a tool's result: stored as an artifact, or only linked by its address. */
export const Attachment = z.object({
  type: z.enum(['image', 'audio', 'resource', 'link']),
  mimeType: z.string().max(200).optional(),
  name: z.string().max(300).optional(),
  uri: z.string().max(4_000).optional(),
  /** Handle of its base64 text. */
  artifact: ArtifactHandle.optional(),
  /** Size of the content itself, not of its base64 text. */
  bytes: z.number().int().nonnegative().optional(),
});
export type Attachment = z.infer<typeof Attachment>;

/** Maximum attachments listed in a record. */
const maxAttachments = 50;

/** Properties of a result that list attachments; the second is used when the server itself uses the first. */
export const attachmentNames = ['attachments', 'resultAttachments'] as const;

/** The attachments of a tool's result, as the MCP client adds them; ignores values of another shape. */
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
