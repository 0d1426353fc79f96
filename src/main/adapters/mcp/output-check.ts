import type { Json } from '#shared/json';
import { createJsonSchemaCheck, type CheckValue } from '#shared/json-schema';
import type { ToolDefinition } from '../../../core/ports/tool-definition';

/** Why a result is not what its tool declares it gives, as a sentence, or null. A server that breaks its own word is told on, not refused. */
export type OutputCheck = (definition: ToolDefinition, value: Json) => string | null;

/** A check that would be too much work says nothing: the schema binds the server, not us. */
export function createOutputCheck(): OutputCheck {
  const prepared = new WeakMap<object, CheckValue>();
  return ({ outputSchema, tool }, value) => {
    if (outputSchema === undefined) return null;
    const check = prepared.get(outputSchema) ?? createJsonSchemaCheck(outputSchema);
    prepared.set(outputSchema, check);
    const checked = check(value);
    if (!checked.ok || checked.value === null) return null;
    const why = (checked.value[0] ?? 'it does not match').replace(/^arguments/, '');
    return `${tool} gave a result that is not what it declares: ${why.trim()}.`;
  };
}
