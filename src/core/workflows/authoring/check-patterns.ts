import type { WorkflowDefinition } from '#shared/workflow';
import type { FieldError } from '#shared/workflow-authoring';
import { foldedWords } from '../../control-plane/fold';

const articles = new Set(['a', 'an', 'the', 'this', 'that', 'my', 'our', 'please']);
const field = 'UserIntentPatterns';

/** A pattern without what makes no difference: two with the same words mean the same. */
const keyOf = (pattern: string): string =>
  foldedWords(pattern)
    .filter((word) => !articles.has(word))
    .join(' ');

function repeated(patterns: readonly string[]): readonly FieldError[] {
  const first = new Map<string, string>();
  return patterns.flatMap((pattern) => {
    const key = keyOf(pattern);
    const earlier = first.get(key);
    if (earlier !== undefined) return [{ field, message: `“${pattern}” says the same as “${earlier}”.` }];
    first.set(key, pattern);
    return [];
  });
}

/** Patterns that could not tell this workflow from talk, or from another workflow (TUL-006 §3.1). */
export function checkPatterns(
  { WorkflowId, UserIntentPatterns: patterns }: WorkflowDefinition,
  published: readonly WorkflowDefinition[],
): readonly FieldError[] {
  const taken = new Map(
    published
      .filter((other) => other.WorkflowId !== WorkflowId && other.Status !== 'disabled')
      .flatMap((other) =>
        other.UserIntentPatterns.map((pattern) => [keyOf(pattern), other.WorkflowId] as const),
      ),
  );
  const each = patterns.flatMap((pattern): FieldError[] => {
    const key = keyOf(pattern);
    if (key.split(' ').length < 2) {
      return [{ field, message: `“${pattern}” is too short to tell what is meant: use two words or more.` }];
    }
    const owner = taken.get(key);
    return owner === undefined
      ? []
      : [{ field, message: `“${pattern}” is already a pattern of ‘${owner}’.` }];
  });
  return [...each, ...repeated(patterns)];
}
