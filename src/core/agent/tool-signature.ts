import { isObject, type JsonObject } from '#shared/json';
import type { ToolDefinition } from '../ports/tool-definition';
import { answersInText } from './json-text';
import { schemaType } from './schema-type';
import { createSharedTypes, type NamedSchema, type RenderedType } from './shared-types';
import { scriptAliases } from './script-tools';

const maxSignatureLength = 600;
const maxDescriptionLength = 160;
const maxDeclarationLength = 4_000;
const maxArgumentLength = 300;

/** The observed result schema of a tool whose server declares none. */
export type SeenSchema = (tool: ToolDefinition) => JsonObject | undefined;

/** One line without invisible and text-direction characters. */
const oneLine = (text: string): string =>
  text
    .slice(0, 2_000)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();

const cutTo = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;

/** The first sentence, on one line, without invisible and text-direction characters. */
export function firstSentence(description: string, maxLength = maxDescriptionLength): string {
  const line = oneLine(description);
  return cutTo(/^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line, maxLength);
}

const quotedValue =
  /(?<![\p{L}\p{N}])'[^'\n]{1,80}'(?![\p{L}\p{N}])|"[^"\n]{1,80}"|`[^`\n]{1,80}`|[“‘«][^”’»\n]{1,80}[”’»]/u;
const listedValues =
  /\b(?:one of|either|(?:allowed|permitted|supported|accepted|valid|possible) (?:values?|options?)|options (?:are|include)|values (?:are|include)|YYYY)|\b[\w-]+(?:, [\w-]+)+,? or [\w-]+/i;

/** The sentences of an argument's text that name the values it takes; empty when none does. */
function valueSentences(text: string): string {
  const sentences = oneLine(text).match(/.+?(?:[.!?](?=\s|$)|$)\s*/g) ?? [];
  const named = sentences.filter((sentence) => quotedValue.test(sentence) || listedValues.test(sentence));
  return cutTo(named.join('').trim(), maxArgumentLength);
}

const objectAt = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && isObject(value as JsonObject) ? (value as JsonObject) : {};

interface ArgumentText {
  /** The member's place in the argument, such as `items[].kind`. */
  readonly path: string;
  readonly text: string;
  /** The type already lists the values. */
  readonly inType: boolean;
}

/** Argument texts are read to this depth. */
const maxArgumentDepth = 3;

/** The arguments of a tool with their descriptions, also those inside objects and lists, in order. */
function argumentTexts(schema: JsonObject, before = '', depth = 1): readonly ArgumentText[] {
  if (depth > maxArgumentDepth) return [];
  return Object.entries(objectAt(schema['properties'])).flatMap(([name, property]) => {
    const member = objectAt(property);
    const items = objectAt(member['items']);
    const { description } = member;
    const path = `${before}${name}`;
    const inType = [member, items].some((one) => 'enum' in one || 'const' in one);
    return [
      { path, text: typeof description === 'string' ? description : '', inType },
      ...argumentTexts(member, `${path}.`, depth + 1),
      ...argumentTexts(items, `${path}[].`, depth + 1),
    ];
  });
}

/** The text of each argument on a tool's line: the sentences that name its values, unless the type lists them. */
const lineTexts = ({ inputSchema }: ToolDefinition): readonly (readonly [path: string, words: string])[] =>
  argumentTexts(inputSchema).map(({ path, text, inType }) => [path, inType ? '' : valueSentences(text)]);

/**
 * The argument texts that one line can give for these tools of a server: those of two tools or more, if every tool
 * with an argument of that name has the same text.
 */
function commonTexts(tools: readonly ToolDefinition[]): ReadonlyMap<string, string> {
  const wordings = new Map<string, string[]>();
  for (const [path, words] of tools.flatMap(lineTexts))
    wordings.set(path, [...(wordings.get(path) ?? []), words]);
  return new Map(
    [...wordings].flatMap(([path, [first = '', ...others]]) =>
      first !== '' && others.length > 0 && others.every((words) => words === first) ? [[path, first]] : [],
    ),
  );
}

const textOf = ([path, words]: readonly [path: string, words: string]): string => ` ${path}: ${words}`;

/** The tool's own name if scripts spell it differently, so that both can be recognised. */
const ownName = (alias: string, uri: string): string => (uri === `mcp://${alias}` ? '' : ` [${uri}]`);

const nothingSeen: SeenSchema = () => undefined;

/** Tools as a planning model reads them, under the names that scripts use. */
export interface ToolDeclarations {
  /** `tools.server.tool({…}): {…}`; object types that tools share are names. */
  readonly signature: (uri: string) => string;
  /**
   * One line: the signature, whether the tool writes, the first sentence of its description and the argument
   * texts that name values, all quoted because its server wrote them.
   */
  readonly line: (uri: string) => string;
  /**
   * All lines in the order of servers and names. `tools.server` stands once above those of a server, with the
   * argument texts that its tools share.
   */
  readonly list: () => readonly string[];
  /** The whole signature, description and argument texts, on several lines. */
  readonly whole: (uri: string) => string;
  /** The types that the tools' lines refer to, one line each. */
  readonly types: (uris: readonly string[]) => readonly string[];
}

interface Rendered {
  readonly tool: ToolDefinition;
  readonly alias: string;
  readonly input: RenderedType;
  readonly result: RenderedType & { readonly note: string };
}

/** The result of a tool whose server declares none, before one was seen. */
const unknownResult = (tool: ToolDefinition): Rendered['result'] => ({
  text: answersInText(tool) ? 'json' : 'unknown',
  names: [],
  note: '',
});

const jsonType = 'type json = unknown // text; parsed if it is JSON';

/** What is known of a type besides its text. */
function noteOf(tool: ToolDefinition, { schema }: NamedSchema): string {
  if (tool.outputSchema) return '';
  return answersInText(tool) && schema['type'] !== 'string' ? ' /* json, observed */' : ' /* observed */';
}

/** The arguments of a tool are always written in place, whatever its server calls them. */
function inputSchemaOf({ inputSchema: { title: _title, ...schema } }: ToolDefinition): NamedSchema {
  return { schema, hint: '' };
}

/** The schema of a tool's result: declared, otherwise observed, otherwise unknown. */
function resultSchemaOf(tool: ToolDefinition, seen: SeenSchema): NamedSchema | undefined {
  const schema = tool.outputSchema ?? seen(tool);
  return schema && { schema, hint: tool.tool };
}

/** The order of tools that no goal changes. */
export const byServerAndName = (a: ToolDefinition, b: ToolDefinition): number =>
  a.server === b.server ? (a.tool < b.tool ? -1 : 1) : a.server < b.server ? -1 : 1;

/**
 * Declares tools: every call is awaited; a result without a declared schema has its observed type, marked as observed,
 * otherwise `json` (a text, parsed if it is JSON) or `unknown`. With `shared`, object types that occur more than once
 * are declared once, and a member without a type is a string.
 */
export function declareTools(
  definitions: readonly ToolDefinition[],
  seen: SeenSchema = nothingSeen,
  shared = true,
): ToolDeclarations {
  const tools = definitions.toSorted(byServerAndName);
  const aliases = new Map(
    [...scriptAliases(definitions.map(({ uri }) => uri))].map(([alias, uri]) => [uri, alias]),
  );
  const schemas = tools.flatMap((tool) => {
    const result = resultSchemaOf(tool, seen);
    return [inputSchemaOf(tool), ...(result ? [result] : [])];
  });
  const types = createSharedTypes(shared ? schemas : []);
  const render = (named: NamedSchema): RenderedType =>
    shared ? types.render(named) : { text: schemaType(named.schema), names: [] };
  const rendered = new Map(
    tools.map((tool): readonly [string, Rendered] => {
      const result = resultSchemaOf(tool, seen);
      return [
        tool.uri,
        {
          tool,
          alias: aliases.get(tool.uri) ?? '',
          input: render(inputSchemaOf(tool)),
          result: result ? { ...render(result), note: noteOf(tool, result) } : unknownResult(tool),
        },
      ];
    }),
  );
  const signatureOf = ({ alias, input, result }: Rendered, maxLength: number): string => {
    const shown =
      input.text.length > maxLength ? 'Record<string, unknown> /* too long to show */' : input.text;
    const returned = result.text.length > maxLength ? 'unknown' : result.text;
    return `tools.${alias}(${shown}): ${returned}${result.note}`;
  };
  const named = (uri: string, say: (one: Rendered) => string): string => {
    const one = rendered.get(uri);
    return one ? say(one) : '';
  };
  const beginning = (one: Rendered, maxLength: number): string =>
    `${signatureOf(one, maxLength)}${ownName(one.alias, one.tool.uri)}${one.tool.readOnly ? '' : ' [writes]'}`;
  const lineOf = (one: Rendered, common: ReadonlyMap<string, string> = new Map()): string => {
    const about = firstSentence(one.tool.description);
    const values = lineTexts(one.tool).filter(([path, words]) => words !== '' && !common.has(path));
    const comment = [about === '' ? '' : ` ${about}`, ...values.map(textOf)].join('');
    return `${beginning(one, maxSignatureLength)}${comment === '' ? '' : ` //${comment}`}`;
  };
  return {
    signature: (uri) => named(uri, (one) => signatureOf(one, maxSignatureLength)),
    line: (uri) => named(uri, (one) => lineOf(one)),
    list: () => {
      const servers = new Map<string, Rendered[]>();
      for (const one of rendered.values()) {
        const [server = ''] = one.alias.split('.');
        servers.set(server, [...(servers.get(server) ?? []), one]);
      }
      return [...servers].flatMap(([server, ones]) => {
        const common = commonTexts(ones.map(({ tool }) => tool));
        const about = common.size > 0 ? ` // arguments:${[...common].map(textOf).join('')}` : '';
        const heading = `tools.${server}`;
        return [`${heading}${about}`, ...ones.map((one) => lineOf(one, common).slice(heading.length))];
      });
    },
    whole: (uri) =>
      named(uri, (one) =>
        [
          beginning(one, maxDeclarationLength),
          `  ${JSON.stringify(cutTo(oneLine(one.tool.description), 600))}`,
          ...argumentTexts(one.tool.inputSchema).flatMap(({ path, text }) =>
            text === '' ? [] : [`  ${path}: ${JSON.stringify(cutTo(oneLine(text), maxArgumentLength))}`],
          ),
        ].join('\n'),
      ),
    types: (uris) => {
      const wanted = uris.flatMap((uri) => rendered.get(uri) ?? []);
      return [
        ...(wanted.some(({ result }) => result.text === 'json') ? [jsonType] : []),
        ...types.declarations(wanted.flatMap(({ input, result }) => [...input.names, ...result.names])),
      ];
    },
  };
}
