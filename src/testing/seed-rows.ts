import { modeItems } from '../core/modes/mode-catalog';
import { CommandDefinition, ToolboxDefinition } from '#shared/command';
import { AgentMode } from '#shared/mode';
import { CatalogFile } from '#shared/resolver';
import type { SeedLayer, SeedRow } from '../core/ports/seed-layer';

/** Valid rows, with a test's changes. */
export const modeRow = (change: Record<string, unknown> = {}) => ({
  id: '00000000000000000000000000000001',
  key: 'general',
  displayName: 'General',
  whenToUse: 'Use this mode for everything.',
  isDefault: true,
  status: 'active',
  version: 'v1',
  toolboxIds: ['core'],
  ...change,
});

export const otherMode = (change: Record<string, unknown> = {}) =>
  modeRow({
    id: '00000000000000000000000000000002',
    key: 'tickets',
    displayName: 'Tickets',
    whenToUse: 'Use this mode for tickets.',
    isDefault: false,
    toolboxIds: [],
    ...change,
  });

export const aMode = (change: Record<string, unknown> = {}): AgentMode => AgentMode.parse(modeRow(change));

export const catalogRow = (change: Record<string, unknown> = {}): CatalogFile =>
  CatalogFile.parse({
    catalogId: 'tickets',
    displayName: 'Tickets',
    nouns: { one: ['ticket'], many: ['tickets'] },
    items: [{ header: { id: 'T-1', displayName: 'Login fails' } }],
    ...change,
  });

export const commandRow = (change: Record<string, unknown> = {}): CommandDefinition =>
  CommandDefinition.parse({
    commandId: 'SetActiveTicket',
    displayName: 'Work on a ticket',
    toolName: 'set_active_context',
    singleParameterName: 'id',
    resolverSource: { catalogId: 'tickets' },
    setsActiveContext: true,
    activeEntityType: 'ticket',
    intentPatterns: ['work on the {noun} {item}'],
    slash: 'ticket',
    ...change,
  });

export const launcherRow = (change: Record<string, unknown> = {}): CommandDefinition =>
  commandRow({
    commandId: 'OpenTickets',
    displayName: 'Work on tickets',
    commandKind: 'launcher',
    toolName: 'open_picker',
    setsActiveContext: false,
    activeEntityType: undefined,
    intentPatterns: ['show the {nouns}'],
    slash: 'tickets',
    ...change,
  });

export const toolboxRow = (change: Record<string, unknown> = {}): ToolboxDefinition =>
  ToolboxDefinition.parse({
    toolboxId: 'core',
    displayName: 'Core',
    catalogIds: ['tickets'],
    commandIds: ['SetActiveTicket', 'OpenTickets'],
    ...change,
  });

export const inFile = <T>(file: string, row: T): SeedRow<T> => ({ file, row });

/** A valid layer: one mode, one toolbox, one catalog and its two commands. */
export const seedLayer = (change: Partial<SeedLayer> = {}): SeedLayer => ({
  pack: null,
  folder: '/seeds',
  modes: [inFile('/seeds/modes/general.json', modeRow())],
  toolboxes: [inFile('/seeds/toolboxes/core.json', toolboxRow())],
  commands: [
    inFile('/seeds/commands/SetActiveTicket.json', commandRow()),
    inFile('/seeds/commands/OpenTickets.json', launcherRow()),
  ],
  catalogs: [inFile('/seeds/catalogs/tickets.json', catalogRow())],
  actions: [],
  recipes: [],
  workflows: [],
  modeProblems: [],
  workflowProblems: [],
  problems: [],
  ...change,
});

/** An empty pack with this name. */
export const packLayer = (name: string, change: Partial<SeedLayer> = {}): SeedLayer => {
  const folder = `/home/packs/${name}`;
  const none = { modes: [], toolboxes: [], commands: [], catalogs: [] };
  return { ...seedLayer(none), folder, pack: { name, folder, id: name, version: '1' }, ...change };
};

/** A mode as the source `modes` lists it. */
export const pickerItems = (changes: Parameters<typeof aMode>[0]) => modeItems([aMode(changes)], new Set());
