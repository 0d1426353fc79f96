import type { JsonObject } from '#shared/json';
import type { ToolDefinition } from '../ports/tool-definition';
import { schemaType } from './schema-type';
import { scriptAliases } from './script-tools';

const maxSignatureLength = 600;
const maxDescriptionLength = 160;
const maxDeclarationLength = 4_000;

/** The observed result schema of a tool whose server declares none. */
export type SeenSchema = (tool: ToolDefinition) => JsonObject | undefined;

/** The first sentence, on one line, without invisible and text-direction characters. */
export function firstSentence(description: string, maxLength = maxDescriptionLength): string {
  const line = description
    .slice(0, 2_000)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  const sentence = /^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line;
  return sentence.length > maxLength ? `${sentence.slice(0, maxLength - 1)}…` : sentence;
}

/** The type of a tool's result: declared, otherwise observed, otherwise unknown. */
function resultType(tool: ToolDefinition, seen: SeenSchema, maxLength: number): string {
  const cut = (text: string): string => (text.length > maxLength ? 'unknown' : text);
  if (tool.outputSchema) return cut(schemaType(tool.outputSchema));
  const schema = seen(tool);
  return schema ? `${cut(schemaType(schema))} /* observed */` : 'unknown';
}

function signature(alias: string, tool: ToolDefinition, seen: SeenSchema, maxLength: number): string {
  const input = schemaType(tool.inputSchema);
  const shown = input.length > maxLength ? 'Record<string, unknown> /* too long to show */' : input;
  return `tools.${alias}(${shown === '{}' ? '{}' : shown}): ${resultType(tool, seen, maxLength)}`;
}

const nothingSeen: SeenSchema = () => undefined;

/**
 * `tools.server.tool({…}): {…}` for each tool, under the name that scripts use. Every call is awaited; a
 * result without a declared schema has its observed type, marked as observed, otherwise `unknown`.
 */
export function toolSignatures(
  tools: readonly ToolDefinition[],
  seen: SeenSchema = nothingSeen,
): ReadonlyMap<string, string> {
  const byUri = new Map(tools.map((definition) => [definition.uri, definition]));
  const signatures = new Map<string, string>();
  for (const [alias, uri] of scriptAliases(tools.map((definition) => definition.uri))) {
    const definition = byUri.get(uri);
    if (definition) signatures.set(uri, signature(alias, definition, seen, maxSignatureLength));
  }
  return signatures;
}

/** The tool's own name if scripts spell it differently, so that both can be recognised. */
const ownName = (alias: string, uri: string): string => (uri === `mcp://${alias}` ? '' : ` [${uri}]`);

/**
 * One line per tool: its signature, whether it writes, and the first sentence of its description, quoted
 * because its server wrote it.
 */
export function toolLines(
  tools: readonly ToolDefinition[],
  seen: SeenSchema = nothingSeen,
): ReadonlyMap<string, string> {
  const signatures = toolSignatures(tools, seen);
  const aliases = new Map(
    [...scriptAliases(tools.map(({ uri }) => uri))].map(([alias, uri]) => [uri, alias]),
  );
  return new Map(
    tools.map((tool) => {
      const about = firstSentence(tool.description);
      const parts = [
        signatures.get(tool.uri) ?? '',
        ownName(aliases.get(tool.uri) ?? '', tool.uri),
        tool.readOnly ? '' : ' [writes]',
        about === '' ? '' : ` ${JSON.stringify(about)}`,
      ];
      return [tool.uri, parts.join('')];
    }),
  );
}

/** The full declaration of a tool: its whole signature and the description of each argument. */
export function toolDeclaration(alias: string, tool: ToolDefinition, seen: SeenSchema = nothingSeen): string {
  const properties = (tool.inputSchema['properties'] ?? {}) as Readonly<Record<string, JsonObject>>;
  const described = Object.entries(properties).flatMap(([name, schema]) => {
    const about = schema['description'];
    return typeof about === 'string' ? [`  ${name}: ${JSON.stringify(firstSentence(about))}`] : [];
  });
  const lines = [
    `${signature(alias, tool, seen, maxDeclarationLength)}${ownName(alias, tool.uri)}${tool.readOnly ? '' : ' [writes]'}`,
    `  ${JSON.stringify(firstSentence(tool.description, 600))}`,
    ...described,
  ];
  return lines.join('\n');
}
