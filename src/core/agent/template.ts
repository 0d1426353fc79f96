import { appError, type AppError } from '#shared/app-error';
import type { Json, JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import { renderBlock, renderInline } from './markdown-value';

/** A part of a template: literal text, or the value at a path of a node's state. */
export type TemplatePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'value'; readonly path: readonly string[]; readonly block: boolean };

const pathSegment = /^[A-Za-z_][A-Za-z0-9_]*$|^[0-9]+$/;

function invalid(message: string): Result<never> {
  return err(appError('CODE', 'INVALID_PLAN', message));
}

/** Whether a placeholder is alone on its line, so that a list or a table may replace it. */
function aloneOnLine(template: string, start: number, end: number): boolean {
  const before = template.slice(template.lastIndexOf('\n', start - 1) + 1, start);
  const stop = template.indexOf('\n', end);
  const after = template.slice(end, stop < 0 ? template.length : stop);
  return before.trim() === '' && after.trim() === '';
}

/** Parses `{{node.path}}` placeholders; any other text between double braces is CODE/INVALID_PLAN. */
export function parseTemplate(template: string): Result<readonly TemplatePart[]> {
  const found: TemplatePart[] = [];
  let from = 0;
  for (let start = template.indexOf('{{'); start >= 0; start = template.indexOf('{{', from)) {
    const close = template.indexOf('}}', start);
    if (close < 0) return invalid('The answer has "{{" with no "}}".');
    const written = template.slice(start + 2, close).trim();
    // `list[1].name` means `list.1.name`.
    const path = written.replace(/\[(\d{1,9})\]/g, '.$1').split('.');
    if (!path.every((segment) => pathSegment.test(segment))) {
      return invalid(`The answer's "{{${written.slice(0, 80)}}}" is not a path like {{node.field}}.`);
    }
    found.push(
      { type: 'text', text: template.slice(from, start) },
      { type: 'value', path, block: aloneOnLine(template, start, close + 2) },
    );
    from = close + 2;
  }
  found.push({ type: 'text', text: template.slice(from) });
  return ok(found);
}

function missing(path: readonly string[], reason: string): AppError {
  const [node] = path;
  const message = `The answer refers to {{${path.join('.')}}}, but ${reason}.`;
  return appError('CODE', 'INVALID_RESULT', message, node === undefined ? {} : { node });
}

/** The value at a path of the states; considers own members only. */
export function valueAt(states: ReadonlyMap<string, JsonObject>, path: readonly string[]): Result<Json> {
  const [node = '', ...rest] = path;
  const state = states.get(node);
  if (state === undefined) return err(missing(path, `the step "${node}" has no result`));
  let value: Json = state;
  // Accepts the common slip `{{id.state.path}}`: a path already starts inside the state.
  const inside = rest[0] === 'state' && !Object.hasOwn(state, 'state') ? rest.slice(1) : rest;
  for (const segment of inside) {
    const has = value !== null && typeof value === 'object' && Object.hasOwn(value, segment);
    if (!has) return err(missing(path, `the result has no "${segment}"`));
    value = (value as JsonObject)[segment] ?? null;
  }
  return ok(value);
}

/** Maximum length of one value: the answer is rendered, stored and searched as a whole. */
const maxValueLength = 100_000;

/** Truncates a text that is too long to read; the cut states how many characters are left out. */
export function cutReadable(text: string, maxLength = maxValueLength): string {
  if (text.length <= maxLength) return text;
  // Never splits a surrogate pair.
  const end = (text.codePointAt(maxLength - 1) ?? 0) > 0xffff ? maxLength - 1 : maxLength;
  return `${text.slice(0, end)}… (${text.length - end} more characters; the step's result has them)`;
}

/**
 * Fills a template with node states. A value alone on its line may become a list or a table; inside a
 * sentence it stays on one line. A missing path is CODE/INVALID_RESULT. Deterministic.
 */
export function renderTemplate(template: string, states: ReadonlyMap<string, JsonObject>): Result<string> {
  const parts = parseTemplate(template);
  if (!parts.ok) return parts;
  let text = '';
  for (const part of parts.value) {
    if (part.type === 'text') {
      text += part.text;
      continue;
    }
    const value = valueAt(states, part.path);
    if (!value.ok) return value;
    text += cutReadable(part.block ? renderBlock(value.value) : renderInline(value.value));
  }
  return ok(text.replace(/\n{3,}/g, '\n\n').trim());
}
