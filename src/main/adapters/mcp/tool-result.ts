import type { CallToolResult } from '@modelcontextprotocol/client';
import { appError, errorCodes, type ErrorCode } from '#shared/app-error';
import { attachmentNames } from '#shared/attachment';
import { isObject, type Json, type JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import { stripControls } from './text-tail';

type ToolCode = ErrorCode<'TOOL'>;
type Content = NonNullable<CallToolResult['content']>[number];

const MAX_MESSAGE_CHARACTERS = 1_000;
const KNOWN_CODES: ReadonlySet<string> = new Set(errorCodes.TOOL);

/** Stores content outside the result and returns its handle; null when it could not be stored. */
export type StoreContent = (name: string, type: string, content: string) => string | null;

/** A result as a script receives it, and the part that its tool's schema covers. */
export interface ReadResult {
  readonly value: Json;
  readonly declared: Json;
}

/**
 * Converts an MCP result for a script: an object or a string, never a content array. Uses the structured
 * content if there is any, else the text. Images, audio, files and links become `attachments` of either
 * (`{text, attachments}` for text): binary content is stored as an artifact (its base64 text) and referenced
 * by handle. A result marked as an error becomes a TOOL error.
 */
export function toolResult(
  tool: string,
  result: CallToolResult,
  storeContent: StoreContent,
): Result<ReadResult> {
  const content = result.content ?? [];
  if (result.isError === true) return err(toolFailure(tool, result, textOf(content)));
  const structured = result.structuredContent as Json | undefined;
  const declared = structured === undefined ? textOf(content) : asObjectOrString(structured);
  const attachments = content
    .filter(({ type }) => type !== 'text')
    .map((item): Json => attachment(item, storeContent));
  return ok({
    value: attachments.length === 0 ? declared : withAttachments(declared, attachments),
    declared,
  });
}

/** Adds attachments under the first field name that the server's result does not use. */
function withAttachments(declared: Json, attachments: readonly Json[]): Json {
  if (!isObject(declared)) return { text: declared, attachments: [...attachments] };
  const [name = attachmentNames[0]] = attachmentNames.filter((one) => !Object.hasOwn(declared, one));
  return { ...declared, [name]: [...attachments] };
}

function storedContent(name: string, type: string, base64: string, storeContent: StoreContent): JsonObject {
  const artifact = storeContent(name, `${type};base64`, base64);
  const bytes = Math.floor((base64.length * 3) / 4);
  return artifact === null ? { bytes, lost: 'It could not be stored.' } : { artifact, bytes };
}

function attachment(item: Content, storeContent: StoreContent): JsonObject {
  switch (item.type) {
    case 'image':
    case 'audio':
      return {
        type: item.type,
        mimeType: item.mimeType,
        ...storedContent(item.type, item.mimeType, item.data, storeContent),
      };
    case 'resource_link':
      return { type: 'link', uri: item.uri, name: stripControls(item.name), mimeType: item.mimeType ?? '' };
    case 'resource': {
      const { uri, mimeType = '' } = item.resource;
      if ('text' in item.resource) return { type: 'resource', uri, mimeType, text: item.resource.text };
      return {
        type: 'resource',
        uri,
        mimeType,
        ...storedContent('resource', mimeType, item.resource.blob, storeContent),
      };
    }
    case 'text':
      return { type: 'text', text: item.text };
    default:
      return { type: 'unknown' };
  }
}

function asObjectOrString(value: Json): Json {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { value };
}

function textOf(content: readonly Content[]): string {
  return content.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n');
}

function toolFailure(tool: string, result: CallToolResult, text: string): ReturnType<typeof appError> {
  const patinaCode: unknown = result._meta?.['patina/code'];
  const code =
    typeof patinaCode === 'string' && KNOWN_CODES.has(patinaCode)
      ? (patinaCode as ToolCode)
      : recognise(text);
  return appError('TOOL', code, shortMessage(text === '' ? 'The tool failed without a message.' : text), {
    tool,
  });
}

/** Servers describe failures in prose; this recognizes the two codes that must never be retried. */
export function recognise(text: string): ToolCode {
  const head = text.slice(0, MAX_MESSAGE_CHARACTERS);
  if (/-32602|invalid (argument|param|input)|input validation|validation error/i.test(head)) {
    return /tool\b.{0,200}\bnot found|unknown tool/i.test(head) ? 'NOT_FOUND' : 'INVALID_ARGUMENTS';
  }
  if (/\bENOENT\b|\b404\b|not found|no such|does ?n[o']t exist/i.test(head)) return 'NOT_FOUND';
  return 'FAILED';
}

/** A server's text for use in Patina's messages: printable and bounded. */
export function shortMessage(text: string): string {
  const clean = stripControls(text).trim();
  return clean.length > MAX_MESSAGE_CHARACTERS ? `${clean.slice(0, MAX_MESSAGE_CHARACTERS)}…` : clean;
}
