import type { JsonObject } from '#shared/json';
import { WorkflowDefinition } from '#shared/workflow';
import type { FieldError } from '#shared/workflow-authoring';
import type { AuthoringFacts } from './authoring-facts';
import { checkConditions } from './check-conditions';
import { checkPatterns } from './check-patterns';
import { checkTexts } from '../../control-plane/check-texts';
import { checkTools } from './check-tools';
import { shapeErrors } from './definition-fields';
import { fieldsOf } from '../../control-plane/check-texts';

function checkGovernance(definition: WorkflowDefinition, facts: AuthoringFacts): readonly FieldError[] {
  const { Visibility, AutoStart, Ddr } = definition;
  const errors: FieldError[] = [];
  if (Visibility === 'experimental' && AutoStart) {
    errors.push({ field: 'AutoStart', message: 'An experimental workflow never starts without a question.' });
  }
  if (facts.ddr(Ddr) === null) {
    errors.push({ field: 'Ddr', message: `There is no design record ${Ddr}. Create it first.` });
  }
  return errors;
}

/** A definition that was found whole, or everything that is wrong with it, field by field (TUL-006 §10.2). */
export type CheckedDefinition =
  | { readonly definition: WorkflowDefinition; readonly errors: readonly [] }
  | { readonly definition: null; readonly errors: readonly FieldError[] };

/** Checks a draft's completeness and correctness. Pure. */
export function checkDefinition(fields: JsonObject, facts: AuthoringFacts): CheckedDefinition {
  const parsed = WorkflowDefinition.safeParse(fields);
  if (!parsed.success) return { definition: null, errors: shapeErrors(fields) };
  const definition = parsed.data;
  const errors = [
    ...checkPatterns(definition, facts.published),
    ...checkTools(definition, facts),
    ...checkConditions(definition, facts),
    ...checkGovernance(definition, facts),
    ...checkTexts(fieldsOf(definition)),
  ];
  return errors.length === 0 ? { definition, errors: [] } : { definition: null, errors };
}
