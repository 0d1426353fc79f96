import { slashNames, windowActionOf, type CommandDefinition, type ToolboxDefinition } from '#shared/command';
import type { CommandRow, ControlPlaneView, PickerPage, SourceRow } from '#shared/control-plane';
import type { AgentMode } from '#shared/mode';
import { sourceId, type ResolverItem, type ResolverSource } from '#shared/resolver';
import type { Action, Question, Routing } from '#shared/route';
import type { SessionState } from '#shared/session-state';
import type { ModeCatalog } from '../modes/mode-catalog';
import { createSummary } from '../modes/mode-summary';
import type { SourceScope } from '../ports/item-source';
import { actOnAnswer } from './act-on-answer';
import { activeSet, withheldSlashes, type ActiveSet } from './active-set';
import { readAnswer, type Answer } from './read-answer';
import { route } from './route';
import type { RouteContext } from './route-context';
import { readSlash } from './route-slash';
import { createSourceCache, type SourceCache, type SourceCacheDeps } from './source-cache';
import { commandForSource, commandForItem, itemsOf } from './command-for-item';
import { type RoutingTable, compileRoutingTable } from './routing-table';

/** How long a line of input waits for sources that are not loaded yet. */
const routeBoundMs = 50;
/** How long a non-interactive command waits for its sources. */
const fullWarmBoundMs = 10_000;
/** How long a picker waits before it shows that it is loading. */
const pageBoundMs = 1_000;

/** The context in which a line is routed; without a session, that of a new session. */
export interface RouteInput {
  readonly state: SessionState | null;
  /** Whether pickers can be shown. */
  readonly ui: boolean;
  /** Key of a mode that replaces the session's own. */
  readonly modeKey?: string;
  readonly roles?: readonly string[];
  readonly question?: Question | null;
}

export interface PageRequest {
  readonly source: ResolverSource;
  readonly text: string;
  readonly offset: number;
  readonly limit: number;
  readonly refresh?: boolean | undefined;
}

/** An item found by its id, with the domain of its source. */
export interface FoundItem {
  readonly item: ResolverItem;
  readonly domain?: string;
}

/** The rows, their sources and the router. It decides and changes nothing (AGN-000037 §3). */
export type ControlPlane = ReturnType<typeof createControlPlane>;

/** The rows that were validated at startup, and the sources of their items. */
export interface ControlPlaneDeps extends SourceCacheDeps {
  readonly modes: ModeCatalog;
  readonly toolboxes: readonly ToolboxDefinition[];
  readonly commands: readonly CommandDefinition[];
  /** The user's roles. */
  readonly roles: () => readonly string[];
  /** The project of a session that does not exist yet. */
  readonly project: () => string | null;
  /** Whether the user has used a source, or has something of its kind; lists then show it although it is unlisted. */
  readonly inUse: (sourceId: string) => boolean;
}

/** A question with a single choice, so that an item chosen in a picker passes the same rules as an answer. */
const onlyChoice = (commandId: string, resolvedId: string): Question => ({
  questionId: '',
  asker: 'router',
  text: '',
  options: [resolvedId],
  binding: false,
  asked: 1,
  choices: [{ label: resolvedId, commandId, resolvedId }],
  mode: '',
  focusId: null,
});

/** The dependencies with the cache over their sources. */
interface PlaneContext extends Omit<ControlPlaneDeps, keyof SourceCacheDeps> {
  readonly cache: SourceCache;
}

/** The lookups of the control plane for one session. */
type SessionLookup = ReturnType<typeof createLookup>;

function createLookup(deps: PlaneContext) {
  const { modes } = deps;
  const activeFor = createActives(deps);
  const modeOf = (state: SessionState | null): AgentMode =>
    (state?.modeId ? modes.find(state.modeId) : undefined) ?? modes.defaultMode;
  const modeAt = ({ state, modeKey }: RouteInput): AgentMode =>
    (modeKey === undefined ? undefined : modes.find(modeKey)) ?? modeOf(state);
  const definitions = new Map([...deps.cache.sources].map(([id, { definition }]) => [id, definition]));
  const modeWithSlash = ({ roles = deps.roles() }: RouteInput, wanted: string): string | undefined =>
    modes.modes.find((mode) =>
      activeSet({ ...deps, mode, sources: definitions, roles }).commands.some((command) =>
        slashNames(command).includes(wanted),
      ),
    )?.key;
  return {
    deps,
    modeOf,
    /** The mode in which a line is routed. */
    modeAt,
    /** Key of the first mode whose commands have a slash name. */
    modeWithSlash,
    activeAt: (input: RouteInput): Active => activeFor(modeAt(input), input.roles ?? deps.roles()),
    scopeOf: (state: SessionState | null): SourceScope => ({
      sessionId: state?.id ?? null,
      state,
      project: state ? state.project : deps.project(),
    }),
  };
}

/** A snapshot of everything that the router may read. */
function contextAt(
  { deps, modeAt, modeWithSlash, activeAt, scopeOf }: SessionLookup,
  input: RouteInput,
): RouteContext {
  const { state, ui, question = null } = input;
  const { table, sources, withheld } = activeAt(input);
  const scope = scopeOf(state);
  const views = new Map(sources.map((source) => [sourceId(source), deps.cache.peek(source, scope)]));
  return {
    table,
    withheld,
    modeWithSlash: (slash) => modeWithSlash(input, slash),
    indexOf: (source) => views.get(sourceId(source))?.index,
    stale: (source) => views.get(sourceId(source))?.status.state === 'stale',
    unavailable: [...views].filter(([, { index }]) => !index).map(([id]) => id),
    mode: modeAt(input).key,
    ui,
    focus: state?.context ?? null,
    question,
  };
}

function viewOf(
  { deps, modeOf, activeAt, scopeOf }: SessionLookup,
  state: SessionState | null,
): ControlPlaneView {
  const { cache, modes } = deps;
  const active = activeAt({ state, ui: true });
  const scope = scopeOf(state);
  const takers = active.commands.filter((command) => windowActionOf(command) === undefined);
  void cache.warm(active.sources, scope, 0);
  const sources: readonly SourceRow[] = active.sources.flatMap((source) => {
    const found = cache.sources.get(sourceId(source));
    if (!found) return [];
    const takenBy = commandForSource(source, takers)?.commandId;
    const { status } = cache.peek(source, scope);
    return [{ ...found.definition, source, status, ...(takenBy !== undefined && { takenBy }) }];
  });
  const commands = inToolboxOrder(active).map((command) =>
    commandRow(command, commandForItem(command, active.commands)),
  );
  const mode = createSummary(modeOf(state));
  const unlisted = [...cache.sources].flatMap(([id, { definition }]) =>
    definition.listed === false && !deps.inUse(id) ? [id] : [],
  );
  return { mode, modes: modes.getAllModes(), commands, sources, unlisted };
}

async function pageOf(
  { deps, activeAt, scopeOf }: SessionLookup,
  state: SessionState | null,
  { source, text, offset, limit, refresh }: PageRequest,
): Promise<PickerPage> {
  const { sources } = activeAt({ state, ui: true });
  const empty = { items: [], offset, total: 0 };
  if (!sources.some((active) => sourceId(active) === sourceId(source))) {
    return { ...empty, status: { state: 'failed', reason: 'This is not available in the active mode.' } };
  }
  const scope = scopeOf(state);
  if (refresh) await deps.cache.refresh(source, scope, pageBoundMs);
  else await deps.cache.open(source, scope, pageBoundMs);
  const { index, ...rest } = deps.cache.peek(source, scope);
  return { ...empty, ...index?.search(text, offset, limit), ...rest };
}

/** Builds the router over the rows, and the cache of their items. */
export function createControlPlane(deps: ControlPlaneDeps) {
  const { modes } = deps;
  const cache = createSourceCache(deps);
  const lookup = createLookup({ ...deps, cache });
  const { modeOf, activeAt, scopeOf } = lookup;
  const commands = new Map(deps.commands.map((command) => [command.commandId, command]));
  const actOn = (
    option: string,
    question: Question,
    state: SessionState | null,
  ): { readonly reading: Answer; readonly action: Action | null } => {
    const reading = readAnswer(option, question);
    return { reading, action: actOnAnswer(reading, question, contextAt(lookup, { state, ui: true })) };
  };
  const warm = (input: RouteInput, boundMs: number) =>
    cache.warm(activeAt(input).sources, scopeOf(input.state), boundMs);
  /** Opens the list of a slash line whose source lists nothing before somebody asks for it. */
  const openBySlash = async (text: string, input: RouteInput): Promise<void> => {
    const command = activeAt(input).table.slashes.get(readSlash(text.trim())?.name ?? '');
    const source = command && itemsOf(command);
    if (!source || cache.sources.get(sourceId(source))?.opensBySlash !== true) return;
    await cache.open(source, scopeOf(input.state), fullWarmBoundMs);
  };
  return {
    modes,
    /** The session's mode. An unknown mode id counts as the default mode, but stays in the session. */
    modeOf,
    /** The action for an option of a router's question; null when the option does not answer it. */
    actOn,
    find(state: SessionState | null, source: ResolverSource, id: string): FoundItem | undefined {
      const item = cache.peek(source, scopeOf(state)).index?.byId(id);
      const domain = cache.sources.get(sourceId(source))?.definition.domain;
      return item && { item, ...(domain !== undefined && { domain }) };
    },
    view: (state: SessionState | null): ControlPlaneView => viewOf(lookup, state),
    /** What the items of a source are called, also while the source is not active. */
    nouns: (source: ResolverSource) => cache.sources.get(sourceId(source))?.definition.nouns,
    /** Loads what a line needs: active sources that are missing or stale, within the router's bound. */
    async warm(text: string, input: RouteInput): Promise<void> {
      await openBySlash(text, input);
      await warm(input, routeBoundMs);
    },
    /** Does the same as `warm`, within a longer bound for non-interactive callers. */
    warmFully: (input: RouteInput): Promise<void> => warm(input, fullWarmBoundMs),
    /** Routes a line over the loaded sources. Pure: the same line and state give the same action. */
    route: (text: string, input: RouteInput): Routing => route(text, contextAt(lookup, input)),
    page: (state: SessionState | null, request: PageRequest): Promise<PickerPage> =>
      pageOf(lookup, state, request),
    /** A command by its id, active or not. */
    command: (commandId: string): CommandDefinition | undefined => commands.get(commandId),
    /**
     * The id of the command that runs an item chosen in a command's picker; a launcher delegates to another
     * command.
     */
    commandIdForChoice(state: SessionState | null, commandId: string): string {
      const command = commands.get(commandId);
      return command ? commandForItem(command, activeAt({ state, ui: true }).commands).commandId : commandId;
    },
    /** The action for a choice in a picker or a question. */
    actionFor: (state: SessionState | null, commandId: string, resolvedId: string): Action =>
      actOnAnswer(
        { choice: 0 },
        onlyChoice(commandId, resolvedId),
        contextAt(lookup, { state, ui: true }),
      ) ?? { type: 'invoke-command', commandId, resolvedId },
    close: (): void => cache.close(),
  };
}
/** The active set of one mode and one set of roles, with its compiled patterns. */

export interface Active extends ActiveSet {
  readonly table: RoutingTable;
  readonly sources: readonly ResolverSource[];
  /** Slash names that need a role the user does not have. */
  readonly withheld: ReadonlySet<string>;
}
/** The commands as the authors of their toolboxes list them: the window offers them in this order. */
function inToolboxOrder({ toolboxes, commands }: ActiveSet): readonly CommandDefinition[] {
  const ids = toolboxes.flatMap(({ commandIds }) => commandIds);
  const placeOf = new Map(ids.toReversed().map((id, at) => [id, ids.length - at]));
  // Window actions are in no toolbox and come last.
  const place = ({ commandId }: CommandDefinition): number => placeOf.get(commandId) ?? ids.length;
  return commands.toSorted((a, b) => place(a) - place(b));
}
/** A command as the window shows it, with the id of the command that runs an item chosen from its list. */

export function commandRow(command: CommandDefinition, itemCommand: CommandDefinition): CommandRow {
  const { commandId, displayName, description, commandKind, resolverSource, targetCatalogId } = command;
  const { targetModeId, pickerType, slash, shortcut, setsActiveContext, activeEntityType } = command;
  const { requiresConfirmation, slashAliases } = command;
  const actionId = windowActionOf(command);
  return {
    commandId,
    displayName,
    commandKind,
    resolverSource,
    setsActiveContext,
    requiresConfirmation,
    slashAliases,
    producesSideEffects: command.producesSideEffects,
    takenBy: itemCommand.commandId,
    ...(description !== undefined && { description }),
    ...(targetCatalogId !== undefined && { targetCatalogId }),
    ...(targetModeId !== undefined && { targetModeId }),
    ...(pickerType !== undefined && { pickerType }),
    ...(slash !== undefined && { slash }),
    ...(actionId !== undefined && { actionId }),
    ...(shortcut !== undefined && { shortcut }),
    ...(activeEntityType !== undefined && { activeEntityType }),
  };
}

export interface ActivesDeps {
  readonly toolboxes: readonly ToolboxDefinition[];
  readonly commands: readonly CommandDefinition[];
  readonly cache: SourceCache;
}
/** Returns the active set of a mode and roles; compiles it on first use and caches it. */

export function createActives({ toolboxes, commands, cache }: ActivesDeps) {
  const byKey = new Map<string, Active>();
  const definitions = new Map([...cache.sources].map(([id, { definition }]) => [id, definition]));
  return (mode: AgentMode, roles: readonly string[]): Active => {
    const sortedRoles = [...roles].sort();
    const key = JSON.stringify([mode.key, sortedRoles]);
    const known = byKey.get(key);
    if (known) return known;
    const input = { mode, toolboxes, commands, sources: definitions, roles: sortedRoles };
    const set = activeSet(input);
    const table = compileRoutingTable(set.commands, definitions);
    const ids = new Set(set.sourceIds);
    const sources = [...cache.sources.values()].flatMap(({ source }) =>
      ids.has(sourceId(source)) ? [source] : [],
    );
    const active = { ...set, table, sources, withheld: withheldSlashes(input) };
    byKey.set(key, active);
    return active;
  };
}
