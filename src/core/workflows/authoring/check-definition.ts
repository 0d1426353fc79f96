import type { JsonObject } from '#shared/json';
import { WorkflowDefinition } from '#shared/workflow';
import type { FieldError } from '#shared/workflow-authoring';
import type { AuthoringFacts } from './authoring-facts';
import { checkConditions } from './check-conditions';
import { checkTexts, fieldsOf } from '../../control-plane/check-texts';
import { checkTools } from './check-tools';
import { shapeErrors } from './definition-fields';
import { foldedWords } from '../../control-plane/fold';

function checkAutoStart({ Visibility, AutoStart }: WorkflowDefinition): readonly FieldError[] {
  if (Visibility !== 'experimental' || !AutoStart) return [];
  return [{ field: 'AutoStart', message: 'An experimental workflow never starts without asking the user.' }];
}

function checkRecord({ Ddr }: WorkflowDefinition, { ddr }: AuthoringFacts): readonly FieldError[] {
  if (ddr(Ddr) !== null) return [];
  return [{ field: 'Ddr', message: `There is no design record ${Ddr}. Create it first.` }];
}

/** Where a definition comes from. A file may be written before its design record exists. */
export type DefinitionSource = 'draft' | 'file';

/** A complete definition, or all its problems field by field (TUL-006 §10.2). */
type CheckedDefinition =
  | { readonly definition: WorkflowDefinition; readonly errors: readonly [] }
  | { readonly definition: null; readonly errors: readonly FieldError[] };

/** Checks a definition's completeness and correctness. Pure. */
export function checkDefinition(
  fields: JsonObject,
  facts: AuthoringFacts,
  source: DefinitionSource = 'draft',
): CheckedDefinition {
  const parsed = WorkflowDefinition.safeParse(fields);
  if (!parsed.success) return { definition: null, errors: shapeErrors(fields) };
  const definition = parsed.data;
  const errors = [
    ...checkPatterns(definition, facts.published),
    ...checkTools(definition, facts),
    ...checkConditions(definition, facts),
    ...checkAutoStart(definition),
    ...(source === 'draft' ? checkRecord(definition, facts) : []),
    ...checkTexts(fieldsOf(definition)),
  ];
  return errors.length === 0 ? { definition, errors: [] } : { definition: null, errors };
}
const articles = new Set(['a', 'an', 'the', 'this', 'that', 'my', 'our', 'please']);
const field = 'UserIntentPatterns';

/** The key of a pattern without articles and punctuation: patterns with equal keys mean the same. */
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

/**
 * Finds patterns that cannot distinguish this workflow from conversation or from another workflow (TUL-006
 * §3.1).
 */
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
