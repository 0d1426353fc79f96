import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Json } from '#shared/json';
import type { ToolDefinition } from '../../ports/tool-definition';

/** Why a result is not what its tool declares it gives, as a sentence, or null. A server that breaks its own word is told on, not refused. */
export type OutputCheck = (definition: ToolDefinition, value: Json) => string | null;

/** Compiles each output schema once. A schema the validator cannot compile checks nothing: it binds the server, not us. */
export function createOutputCheck(): OutputCheck {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false, addUsedSchema: false });
  const compiled = new WeakMap<object, ValidateFunction | null>();
  const validator = (schema: object): ValidateFunction | null => {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    let validate: ValidateFunction | null = null;
    try {
      validate = ajv.compile(schema);
    } catch {
      validate = null;
    }
    compiled.set(schema, validate);
    return validate;
  };
  return (definition, value) => {
    const validate = definition.outputSchema === undefined ? null : validator(definition.outputSchema);
    if (validate === null || validate(value)) return null;
    const [first] = validate.errors ?? [];
    const why = `${first?.instancePath ?? ''} ${first?.message ?? 'does not match'}`.trim();
    return `${definition.tool} gave a result that is not what it declares: ${why}.`;
  };
}
