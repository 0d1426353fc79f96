import { parseJson, type Json } from '#shared/json';
import { numbersSurvive, repeatedName } from '#shared/json-scan';
import type { ToolDefinition } from '../ports/tool-definition';

/**
 * Whether a tool may answer in text that is JSON: it declares no type for its result, and its server is none of
 * the bundled ones, whose texts are what their names say.
 */
export const answersInText = ({ outputSchema, bundled, builtIn }: ToolDefinition): boolean =>
  outputSchema === undefined && bundled === undefined && builtIn === undefined;

/**
 * The value of a text that is one JSON object or array as a whole. Undefined for any other text, and for one
 * that would not survive: with a repeated name or a number that JavaScript writes otherwise.
 */
export function jsonOfText(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text) || !/[\]}]\s*$/.test(text)) return undefined;
  const parsed = parseJson(text);
  return parsed.ok && numbersSurvive(text) && repeatedName(text) === null ? parsed.value : undefined;
}

/** A result as a script of the current api receives it: text that is JSON is parsed. */
export function scriptResult(tool: ToolDefinition | undefined, result: Json): Json {
  if (typeof result !== 'string' || !tool || !answersInText(tool)) return result;
  return jsonOfText(result) ?? result;
}
