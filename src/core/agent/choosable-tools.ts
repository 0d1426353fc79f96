import { isObject, type Json, type JsonObject } from '#shared/json';
import type { ToolDefinition } from '../ports/tool-definition';

/** A parameter whose value is one text, number or switch. */
export interface SimpleParam {
  readonly name: string;
  readonly type: 'string' | 'number' | 'integer' | 'boolean';
  readonly required: boolean;
  readonly description?: string;
}

/** A tool that can be called with words and numbers of a message. */
export interface ChoosableTool {
  readonly uri: string;
  readonly title: string;
  readonly description: string;
  readonly params: readonly SimpleParam[];
}

const isSimple = (type: Json | undefined): type is SimpleParam['type'] =>
  type === 'string' || type === 'number' || type === 'integer' || type === 'boolean';

/** The parameters that are single values; null when one that is required is not. */
function simpleParams({ properties = {}, required = [] }: JsonObject): readonly SimpleParam[] | null {
  if (!isObject(properties) || !Array.isArray(required)) return null;
  const names = new Set<Json>(required);
  const params = Object.entries(properties).flatMap(([name, schema]): readonly SimpleParam[] => {
    if (!isObject(schema)) return [];
    const { type, description } = schema;
    if (!isSimple(type)) return [];
    const about = typeof description === 'string' ? { description } : {};
    return [{ name, type, required: names.has(name), ...about }];
  });
  const simple = new Set<Json>(params.map(({ name }) => name));
  return [...names].every((name) => simple.has(name)) ? params : null;
}

/** The tools of a list whose required parameters are all single values. Pure. */
export const choosableTools = (tools: readonly ToolDefinition[]): readonly ChoosableTool[] =>
  tools.flatMap(({ uri, server, tool, description, inputSchema, changed }) => {
    const params = changed ? null : simpleParams(inputSchema);
    return params ? [{ uri, title: `${server}: ${tool}`, description, params }] : [];
  });

/** Whether a value has the type of a parameter; a grammar of numbers allows 1.5 for an integer. */
export function hasType({ type }: Pick<SimpleParam, 'type'>, value: Json): boolean {
  if (type === 'integer') return Number.isSafeInteger(value);
  return typeof value === type;
}
