import type { CommandDefinition, ToolboxDefinition } from '#shared/command';
import type { CommandRow, ControlPlaneView, PickerPage, SourceRow } from '#shared/control-plane';
import type { AgentMode } from '#shared/mode';
import { sourceId, type ResolverItem, type ResolverSource } from '#shared/resolver';
import type { Action, Question, Routing } from '#shared/route';
import type { SessionState } from '#shared/session-state';
import type { ModeCatalog } from '../modes/mode-catalog';
import { createSummary } from '../modes/mode-summary';
import type { SourceScope } from '../ports/item-source';
import { actOnAnswer } from './act-on-answer';
import { activeSet, type ActiveSet } from './active-set';
import { readAnswer, type Answer } from './read-answer';
import { route } from './route';
import type { RouteContext } from './route-context';
import { compileRoutingTable, type RoutingTable } from './routing-table';
import type { SourceCache } from './source-cache';

/** How long a line of input waits for sources that are not read yet. */
const routeBoundMs = 50;
/** How long a command that is not typed into waits. */
const settleBoundMs = 10_000;
/** How long a picker waits before it shows that it is loading. */
const pageBoundMs = 1_000;

/** For whom a line is routed; without a session, as in a new one. */
export interface RoutePlace {
  readonly state: SessionState | null;
  /** Whether pickers can be shown. */
  readonly ui: boolean;
  /** Key of a mode that stands in for the session's own. */
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

/** An item found by its id, and the domain its source belongs to. */
export interface FoundItem {
  readonly item: ResolverItem;
  readonly domain?: string;
}

/** The rows, the sources and the router over them; decides, and changes nothing (AGN-000037 §3). */
export interface ControlPlane {
  readonly modes: ModeCatalog;
  /** The session's mode; an Id that no mode has counts as the default's, and is kept. */
  modeOf(state: SessionState | null): AgentMode;
  view(state: SessionState | null): ControlPlaneView;
  /** Reads the active sources that are not read yet, within the router's bound. */
  warm(place: RoutePlace): Promise<void>;
  /** Reads all active sources, however long it takes: for whoever is in no hurry. */
  settle(place: RoutePlace): Promise<void>;
  /** Routes a line over what is read by now. Pure: the same line and the same state give the same action. */
  route(text: string, place: RoutePlace): Routing;
  page(state: SessionState | null, request: PageRequest): Promise<PickerPage>;
  find(state: SessionState | null, source: ResolverSource, id: string): FoundItem | undefined;
  /** A command by its id, active or not. */
  command(commandId: string): CommandDefinition | undefined;
  /** The command that a choice in a command's picker runs: a launcher leads to another one. */
  executableOf(commandId: string): string;
  /** What a choice in a picker, or of one of a question's choices, leads to. */
  actionFor(state: SessionState | null, commandId: string, resolvedId: string): Action;
  /** What an option of a router's question leads to; no action: it is none of the question's answers. */
  actOn(
    option: string,
    question: Question,
    state: SessionState | null,
  ): { readonly reading: Answer; readonly action: Action | null };
  close(): void;
}

export interface ControlPlaneDeps {
  readonly modes: ModeCatalog;
  readonly toolboxes: readonly ToolboxDefinition[];
  readonly commands: readonly CommandDefinition[];
  readonly cache: SourceCache;
  /** The user's roles. */
  readonly roles: () => readonly string[];
  /** The project of a session that does not exist yet. */
  readonly project: () => string | null;
}

/** What is switched on for one mode and one set of roles, with its compiled patterns. */
interface Active extends ActiveSet {
  readonly table: RoutingTable;
  readonly sources: readonly ResolverSource[];
}

const rowOf = (command: CommandDefinition): CommandRow => {
  const { commandId, displayName, description, commandKind, resolverSource, targetCatalogId } = command;
  const { targetModeId, slash, setsActiveContext, activeEntityType, requiresConfirmation } = command;
  return {
    ...{ commandId, displayName, commandKind, resolverSource, setsActiveContext, requiresConfirmation },
    producesSideEffects: command.producesSideEffects,
    ...(description !== undefined && { description }),
    ...(targetCatalogId !== undefined && { targetCatalogId }),
    ...(targetModeId !== undefined && { targetModeId }),
    ...(slash !== undefined && { slash }),
    ...(activeEntityType !== undefined && { activeEntityType }),
  };
};

/** A launcher's row names what its choice runs, or there is one command that makes the item the focus. */
function executableOf(commands: readonly CommandDefinition[], commandId: string): string {
  const launcher = commands.find((command) => command.commandId === commandId);
  if (launcher?.commandKind !== 'launcher') return commandId;
  const named = launcher.constants['commandId'];
  if (typeof named === 'string') return named;
  const target = launcher.targetCatalogId ?? sourceId(launcher.resolverSource);
  const able = commands.filter(
    ({ commandKind, resolverSource }) => commandKind === 'executable' && sourceId(resolverSource) === target,
  );
  return (able.find(({ setsActiveContext }) => setsActiveContext) ?? able[0])?.commandId ?? commandId;
}

/** A question that has one answer: what was chosen in a picker passes the same rules as a choice. */
const onlyChoice = (commandId: string, resolvedId: string): Question => ({
  ...{ questionId: '', asker: 'router', text: '', options: [resolvedId], binding: false, asked: 1 },
  choices: [{ label: resolvedId, commandId, resolvedId }],
  ...{ mode: '', focusId: null },
});

function createActives({ modes, toolboxes, commands, cache, roles }: ControlPlaneDeps) {
  const kept = new Map<string, Active>();
  const definitions = new Map([...cache.sources].map(([id, { definition }]) => [id, definition]));
  return (mode: AgentMode, given?: readonly string[]): Active => {
    const held = [...(given ?? roles())].sort();
    const key = JSON.stringify([mode.key, held]);
    const known = kept.get(key);
    if (known) return known;
    const set = activeSet({
      mode: modes.getMode(mode.key),
      toolboxes,
      commands,
      sources: definitions,
      roles: held,
    });
    const { table } = compileRoutingTable(set.commands, definitions);
    const ids = new Set(set.sourceIds);
    const sources = [...cache.sources.values()].flatMap(({ source }) =>
      ids.has(sourceId(source)) ? [source] : [],
    );
    const active = { ...set, table, sources };
    kept.set(key, active);
    return active;
  };
}

/** Builds the control plane over rows that were checked at start. */
export function createControlPlane(deps: ControlPlaneDeps): ControlPlane {
  const { modes, cache } = deps;
  const activeFor = createActives(deps);
  const commands = new Map(deps.commands.map((command) => [command.commandId, command]));
  const scopeOf = (state: SessionState | null): SourceScope => ({
    sessionId: state?.id ?? null,
    project: state ? state.project : deps.project(),
  });
  const modeOf = (state: SessionState | null): AgentMode =>
    (state?.modeId ? modes.find(state.modeId) : undefined) ?? modes.defaultMode;
  const modeAt = ({ state, modeKey }: RoutePlace): AgentMode =>
    (modeKey === undefined ? undefined : modes.find(modeKey)) ?? modeOf(state);

  const contextAt = (place: RoutePlace): RouteContext => {
    const { state, ui, question = null } = place;
    const mode = modeAt(place);
    const { table, sources } = activeFor(mode, place.roles);
    const scope = scopeOf(state);
    const views = new Map(sources.map((source) => [sourceId(source), cache.peek(source, scope)]));
    return {
      table,
      indexOf: (source) => views.get(sourceId(source))?.index,
      stale: (source) => views.get(sourceId(source))?.status.state === 'stale',
      unavailable: [...views].filter(([, { index }]) => !index).map(([id]) => id),
      mode: mode.key,
      ui,
      focus: state?.context ?? null,
      question,
    };
  };

  const sourceRows = (state: SessionState | null, sources: readonly ResolverSource[]): readonly SourceRow[] =>
    sources.flatMap((source) => {
      const found = cache.sources.get(sourceId(source));
      const { status } = cache.peek(source, scopeOf(state));
      return found ? [{ ...found.definition, source, status }] : [];
    });

  const find = (state: SessionState | null, source: ResolverSource, id: string): FoundItem | undefined => {
    const item = cache.peek(source, scopeOf(state)).index?.byId(id);
    const domain = cache.sources.get(sourceId(source))?.definition.domain;
    return item && { item, ...(domain !== undefined && { domain }) };
  };

  return {
    modes,
    modeOf,
    find,
    view(state) {
      const active = activeFor(modeOf(state));
      const all = modes.getAllModes();
      const mode = createSummary(modeOf(state));
      void cache.warm(active.sources, scopeOf(state), 0);
      return {
        mode,
        modes: all,
        commands: active.commands.map(rowOf),
        sources: sourceRows(state, active.sources),
      };
    },
    warm: (place) =>
      cache.warm(activeFor(modeAt(place), place.roles).sources, scopeOf(place.state), routeBoundMs),
    settle: (place) =>
      cache.warm(activeFor(modeAt(place), place.roles).sources, scopeOf(place.state), settleBoundMs),
    route: (text, place) => route(text, contextAt(place)),
    async page(state, { source, text, offset, limit, refresh }) {
      const { sources } = activeFor(modeOf(state));
      const empty = { items: [], offset, total: 0 };
      if (!sources.some((active) => sourceId(active) === sourceId(source))) {
        return { ...empty, status: { state: 'failed', reason: 'This is not available in the active mode.' } };
      }
      const scope = scopeOf(state);
      if (refresh) await cache.refresh(source, scope, pageBoundMs);
      else await cache.warm([source], scope, pageBoundMs);
      const { index, status } = cache.peek(source, scope);
      if (!index) return { ...empty, status };
      return { ...index.search(text, offset, limit), offset, status };
    },
    command: (commandId) => commands.get(commandId),
    executableOf: (commandId) => executableOf(deps.commands, commandId),
    actionFor(state, commandId, resolvedId) {
      const chosen = actOnAnswer(
        { choice: 0 },
        onlyChoice(commandId, resolvedId),
        contextAt({ state, ui: true }),
      );
      return chosen ?? { type: 'invoke-command', commandId, resolvedId };
    },
    actOn: (option, question, state) => {
      const reading = readAnswer(option, question);
      return { reading, action: actOnAnswer(reading, question, contextAt({ state, ui: true })) };
    },
    close: () => cache.close(),
  };
}
