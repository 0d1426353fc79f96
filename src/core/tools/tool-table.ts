import type { Grant } from '#shared/grant';
import type { Json } from '#shared/json';
import { ok, type Result } from '#shared/result';
import type { BuiltInTool } from '../ports/built-in-tool';
import type { DiscoveryMode } from '../ports/discovery-mode';
import type { ModelTool } from '../ports/llm';
import type { ToolDefinition } from '../ports/tool-definition';
import type { ToolLists } from '../ports/tool-lists';
import type { Tools } from '../ports/tools';
import type { ToolListing } from './call-scope';
import type { ElicitationQueue } from './elicitation-queue';
import type { ToolPins } from './pins';
import type { ReadFile } from './file-change';
import type { ReadCache } from './read-cache';
import type { WriteHistory } from './write-history';
import { excludedBy, withNames } from './tool-lists';

/** The servers of one project folder, with all that a call to them needs; only `callTool` uses it. */
export interface ServerAccess {
  readonly tools: Tools;
  readonly cache?: ReadCache;
  readonly pins?: Pick<ToolPins, 'enforce'>;
  /** Questions from servers to the user: waiting for an answer does not count as run time. */
  readonly elicitations?: Pick<ElicitationQueue, 'watchWaiting'>;
  /** The user's current saved permissions, and the project folder that the `always` ones must match. */
  readonly savedPermissions?: { readonly project: string; readonly grants: () => readonly Grant[] };
  /** Reads a path of the project, so that a card can show what a write changes. */
  readonly readFile?: ReadFile;
  /** Saves what writes are about to change. */
  readonly history?: WriteHistory;
  /** Where a path of the project leads; null: out of it. */
  readonly resolvePath?: (path: string) => Promise<string | null>;
  /** Keeps the servers running during the work. */
  readonly track?: <T>(work: () => Promise<T>) => Promise<T>;
  /** Called with the tools whenever all servers were listed. */
  readonly onListed?: (tools: readonly ToolDefinition[]) => void;
  /** Called with each result. */
  readonly onResult?: (tool: ToolDefinition, result: Json) => void;
}

type Listed = Result<readonly ToolDefinition[]>;

/** Lists the tools of the named servers, or of all, each with its pinned definition. */
async function listPinned(
  { tools, pins }: ServerAccess,
  servers?: readonly string[],
  how?: DiscoveryMode,
): Promise<Listed> {
  const listed = await tools.list(servers, how);
  return listed.ok && pins ? pins.enforce(listed.value) : listed;
}

/**
 * Lists servers with changed tools live. A cached listing may still report a change that the server has
 * reverted, and a blocked tool is never called, so nothing else would discover this.
 */
async function refreshChanged(access: ServerAccess, known: readonly ToolDefinition[]): Promise<Listed> {
  const servers = [...new Set(known.flatMap(({ changed, server }) => (changed ? [server] : [])))];
  if (servers.length === 0) return ok(known);
  const now = await listPinned(access, servers, 'live');
  if (!now.ok) return now;
  const answered = new Set(now.value.map(({ server }) => server));
  const inOrder = [...new Set(known.map(({ server }) => server))];
  const newestOf = (name: string) =>
    (answered.has(name) ? now.value : known).filter(({ server }) => server === name);
  return ok(inOrder.flatMap(newestOf));
}

/** Lists the tools of the named servers, or of all; a server's status says if it did not start. */
export async function listServerTools(
  access: ServerAccess,
  servers: readonly string[] | undefined,
  how: DiscoveryMode,
): Promise<Result<ToolListing>> {
  const known = await listPinned(access, servers, how);
  const refreshed = known.ok && how === 'needed' ? await refreshChanged(access, known.value) : known;
  if (!refreshed.ok) return refreshed;
  if (servers === undefined) access.onListed?.(refreshed.value);
  return ok({ tools: refreshed.value, servers: access.tools.servers() });
}

const definitionOf = ({
  name,
  toolUsageMetadata,
  schema,
  answersArguments,
}: BuiltInTool): ToolDefinition => ({
  uri: name,
  server: '',
  tool: name,
  serverVersion: '',
  description: toolUsageMetadata,
  inputSchema: answersArguments ? { type: 'object' } : schema,
  readOnly: true,
  builtIn: true,
});

/** What the rest of the program may know of a built-in tool; only `callTool` can execute one. */
export type KnownBuiltInTool = Omit<BuiltInTool, 'execute'>;

/** The built-in tools by name: a model gets neither command-only tools nor those that its lists exclude. */
export function createBuiltInTools() {
  const byName = new Map<string, BuiltInTool>();
  const definitions = {
    user: new Map<string, ToolDefinition>(),
    model: new Map<string, ToolDefinition>(),
  };
  let always: readonly string[] = [];
  return {
    add(tools: readonly BuiltInTool[]): void {
      for (const tool of tools) {
        byName.set(tool.name, tool);
        definitions.user.set(tool.name, definitionOf(tool));
        if (tool.commandOnly) continue;
        definitions.model.set(tool.name, definitionOf(tool));
        if (tool.alwaysOffered) always = [...always, tool.name];
      }
    },
    find: (name: string): BuiltInTool | undefined => byName.get(name),
    all: (): readonly BuiltInTool[] => [...byName.values()],
    /** The tools that an actor may call; a script reaches none. */
    definitionsFor: (actor: 'user' | 'model' | 'script'): ReadonlyMap<string, ToolDefinition> =>
      actor === 'script' ? new Map() : definitions[actor],
    /** The lists with the tools that are always offered. */
    withAlways: (lists: ToolLists): ToolLists => withNames(lists, always),
    /** The tools offered to a model: those that every list names, plus the few that are always offered. */
    offered: (lists: ToolLists): readonly ModelTool[] =>
      [...definitions.model.keys()]
        .filter((name) => !excludedBy(withNames(lists, always), name))
        .flatMap((name) => {
          const tool = byName.get(name);
          return tool ? [{ name, description: tool.toolUsageMetadata, parameters: tool.schema }] : [];
        }),
  };
}
