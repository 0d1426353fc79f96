import { z } from 'zod';
import { JsonObject } from '#shared/json';
import { ContentId } from '#shared/workspace';
import { CallKind } from '../session/step-material';

const path = z.string().min(1).max(256);
/** `group:ID` refers to all files of a context group. */
const contextRef = z.string().min(1).max(256);

/** `agent.workspace.json` (P3 §8). */
export const WorkspaceIndex = z.strictObject({
  schema: z.literal('agent.workspace'),
  version: z.literal(1),
  promptPacks: z.record(ContentId, path),
  toolCatalogs: z.record(ContentId, path),
  contextGroups: z.record(ContentId, z.array(contextRef)).optional(),
  defaults: z.strictObject({ promptPack: ContentId, toolCatalog: ContentId }),
});
export type WorkspaceIndex = z.infer<typeof WorkspaceIndex>;

/**
 * A Markdown template with the variables it declares, or a `.json` file of message parts; without `for`, it
 * applies to all calls.
 */
const TemplateRef = z.union([
  path,
  z.strictObject({
    path,
    for: z.array(CallKind).min(1).max(4).optional(),
    variables: z.record(z.string().regex(/^[a-z][a-zA-Z0-9_]{0,63}$/), z.string().max(10_000)).optional(),
  }),
]);

/**
 * The response format of the calls a pack applies to; options that a provider does not support are left out.
 * `json` applies to replies and answers; a plan and a step with an output schema have their own format.
 */
export const ResponseFormat = z
  .strictObject({
    type: z.enum(['text', 'json']).optional(),
    /** With `json`: the JSON Schema of the reply. */
    schema: JsonObject.optional(),
    maxOutputTokens: z.number().int().min(1).max(1_000_000).optional(),
    temperature: z.number().min(0).max(2).optional(),
    effort: z.enum(['low', 'medium', 'high']).optional(),
  })
  .refine(({ type, schema }) => schema === undefined || type === 'json', {
    path: ['schema'],
    message: 'needs "type": "json" beside it.',
  });
export type ResponseFormat = z.infer<typeof ResponseFormat>;

/** `prompts/packs/*.json` (P3 §5.2). Content only: nothing in it grants anything. */
export const PromptPackFile = z.strictObject({
  id: ContentId,
  templates: z.array(TemplateRef).max(256),
  context: z.array(contextRef).max(256).optional(),
  responseFormat: ResponseFormat.optional(),
});
export type PromptPackFile = z.infer<typeof PromptPackFile>;

/** A template as message parts. */
export const MessageParts = z.strictObject({
  parts: z
    .array(z.strictObject({ type: z.literal('text'), text: z.string() }))
    .min(1)
    .max(256),
});

/** `tools/catalogs/*.json`: paths of descriptor files, and names or patterns of tools. */
export const ToolCatalogFile = z.strictObject({
  id: ContentId,
  tools: z.array(z.string().min(1).max(256)).max(4_096),
});
export type ToolCatalogFile = z.infer<typeof ToolCatalogFile>;

export const ToolName = z
  .string()
  .regex(/^([a-z][a-z0-9_]{0,63}|mcp:\/\/[a-z0-9_-]{1,64}\.[A-Za-z0-9_.-]{1,128})$/);

/** `tools/descriptors/*.json`: the description of a tool for models. It grants nothing (P3 §5.3). */
export const ToolDescriptor = z.strictObject({
  name: ToolName,
  description: z.string().min(1).max(20_000),
  parameters: JsonObject,
});
export type ToolDescriptor = z.infer<typeof ToolDescriptor>;

/** `tools/*.json` of a workspace without an index; ignores additional members written by older apps. */
export const LegacyDescriptor = z.looseObject({
  name: ToolName,
  description: z.string().max(20_000).default(''),
  parameters: JsonObject.default({}),
});
