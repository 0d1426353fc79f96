import type { Json } from '#shared/json';
import { createJsonSchemaCheck, type CheckValue } from '#shared/json-schema';
import type { ToolDefinition } from '../../../core/ports/tool-definition';

/**
 * Why a result does not match its tool's declaration, as a sentence, or null. A mismatch causes a warning,
 * not a refusal.
 */
export type OutputCheck = (definition: ToolDefinition, value: Json) => string | null;

/** A check that would cost too much reports nothing: the schema obliges the server, not Patina. */
export function createOutputCheck(): OutputCheck {
  const prepared = new WeakMap<object, CheckValue>();
  return ({ outputSchema, tool }, value) => {
    if (outputSchema === undefined) return null;
    const check = prepared.get(outputSchema) ?? createJsonSchemaCheck(outputSchema);
    prepared.set(outputSchema, check);
    const checked = check(value);
    if (!checked.ok || checked.value === null) return null;
    const why = (checked.value[0] ?? 'it does not match').replace(/^arguments/, '');
    return `The result of ${tool} does not match the schema it declares: ${why.trim()}.`;
  };
}
