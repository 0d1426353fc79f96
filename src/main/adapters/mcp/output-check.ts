import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { appError } from '#shared/app-error';
import type { Json } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { ToolDefinition } from '../../ports/tool-definition';

/** Passes a result on when it is what the tool declared it gives; TOOL/INVALID_OUTPUT otherwise. */
export type OutputCheck = (definition: ToolDefinition, value: Json) => Result<Json>;

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
    if (validate === null || validate(value)) return ok(value);
    const [first] = validate.errors ?? [];
    const why = `${first?.instancePath ?? ''} ${first?.message ?? 'does not match'}`.trim();
    const message = `${definition.uri} gave a result that is not what it declares: ${why}.`;
    return err(appError('TOOL', 'INVALID_OUTPUT', message, { tool: definition.uri }));
  };
}
