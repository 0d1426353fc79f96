import type { Json, JsonObject } from '#shared/json';
import { WorkflowDefinition } from '#shared/workflow';
import type { TextHunk } from '#shared/workflow-authoring';
import { compareLines, wholeTexts } from '../../tools/line-diff';

const order = Object.keys(WorkflowDefinition.shape);

function lines(value: Json, indent: string): string {
  if (typeof value === 'string')
    return value
      .split('\n')
      .map((line) => `${indent}${line}`)
      .join('\n');
  if (isList(value)) return value.map((entry) => `${indent}- ${inline(entry)}`).join('\n');
  return `${indent}${inline(value)}`;
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

function inline(value: Json): string {
  if (typeof value === 'string') return value;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return value.map(inline).join(', ');
  const entries = Object.entries(value).filter(([, one]) => !isEmpty(one));
  return entries.map(([key, one]) => `${key}: ${inline(one)}`).join(' · ');
}

const isEmpty = (value: Json): boolean =>
  value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/** A definition as text for comparison: field by field in schema order, one line per entry. */
export function definitionText(fields: JsonObject): string {
  return order
    .flatMap((field) => {
      const value = fields[field];
      return value === undefined || isEmpty(value) ? [] : [`${field}\n${lines(value, '  ')}\n`];
    })
    .join('');
}

/** The differences between two definitions, with context lines; `before` is null for a new workflow. */
export function definitionHunks(before: JsonObject | null, after: JsonObject): readonly TextHunk[] {
  const [old, now] = [before === null ? '' : definitionText(before), definitionText(after)];
  const hunks = compareLines(old, now, { context: 2 }) ?? [wholeTexts(old, now)];
  return hunks.map(({ lines: compared }) => ({ lines: compared }));
}

const signs = { same: ' ', added: '+', removed: '-' } as const;

/** Formats the differences for a card, each line with its sign. */
export function hunksText(hunks: readonly TextHunk[]): string {
  return hunks
    .map(({ lines: rows }) => rows.map(({ kind, text }) => `${signs[kind]} ${text}`).join('\n'))
    .join('\n…\n');
}
