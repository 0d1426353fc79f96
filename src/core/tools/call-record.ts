import type { AppError } from '#shared/app-error';
import { attachmentsIn } from '#shared/attachment';
import type { Grant } from '#shared/grant';
import type { Json } from '#shared/json';
import type { Result } from '#shared/result';
import type { CallRecord } from '#shared/session-event';

const previewLength = 600;

/** Truncates a text for display; the cut is marked with an ellipsis and never splits a surrogate pair. */
export function truncatePreview(text: string, length = previewLength): string {
  if (text.length <= length) return text;
  const end = /[\uD800-\uDBFF]$/.test(text.slice(0, length - 1)) ? length - 2 : length - 1;
  return `${text.slice(0, end)}…`;
}

/** Length of a text in UTF-8 bytes. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) bytes += unit > 0x7ff ? 2 : 1;
    if (unit >= 0xd800 && unit <= 0xdfff) bytes -= 1;
  }
  return bytes;
}

/** A finished call. */
export interface EndedCall {
  readonly callId: string;
  readonly tool: string;
  readonly arguments: Json;
  readonly ms: number;
  /** The saved permission that allowed the call. */
  readonly allowedBy?: Grant | undefined;
  /** No call was made: the result came from the cache. */
  readonly cached?: boolean | undefined;
}

/** The record of a finished call. */
export function callRecord(call: EndedCall, result: Result<Json, AppError>): CallRecord {
  const { callId, tool, ms, allowedBy, cached } = call;
  const argumentsPreview = truncatePreview(JSON.stringify(call.arguments));
  const made = {
    callId,
    tool,
    argumentsPreview,
    ms,
    ...(allowedBy && { allowedBy }),
    ...(cached && { cached }),
  };
  if (!result.ok) {
    const { error } = result;
    return { ...made, outcome: error.outcome ?? 'failed', bytes: 0, error };
  }
  const text = typeof result.value === 'string' ? result.value : JSON.stringify(result.value);
  const attachments = attachmentsIn(result.value);
  return {
    ...made,
    outcome: 'done',
    bytes: utf8Length(text),
    preview: truncatePreview(text),
    ...(attachments.length > 0 && { attachments: [...attachments] }),
  };
}
