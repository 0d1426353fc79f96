import { describe, expect, it } from 'vitest';
import { aMode, catalogRow, commandRow, launcherRow, toolboxRow } from '../../testing/seed-rows';
import { activeSet } from './active-set';
import { sourceDefinitions } from './catalog-definition';
import { providerDefinitions } from '../sources/provider-definitions';

const catalogs = ['tickets', 'people', 'secrets'].map((catalogId) => catalogRow({ catalogId }));
const sources = sourceDefinitions(catalogs, providerDefinitions);
const commands = [
  commandRow(),
  launcherRow(),
  commandRow({ commandId: 'SetActivePerson', resolverSource: { catalogId: 'people' } }),
  commandRow({ commandId: 'RunRecipe', resolverSource: { providerId: 'recipes' } }),
  commandRow({ commandId: 'Audit', resolverSource: { catalogId: 'secrets' }, requiredRoles: ['auditor'] }),
];
const core = toolboxRow();
const people = toolboxRow({
  toolboxId: 'people',
  catalogIds: ['people', 'tickets'],
  commandIds: ['SetActivePerson', 'SetActiveTicket', 'RunRecipe'],
});
const gated = toolboxRow({
  toolboxId: 'gated',
  catalogIds: ['secrets'],
  commandIds: ['Audit'],
  requiredRoles: ['lead'],
});
const joining = toolboxRow({
  toolboxId: 'joining',
  catalogIds: ['people'],
  commandIds: [],
  activeIn: ['general'],
});

const active = (toolboxIds: string[], roles: string[] = [], toolboxes = [core, people, gated]) => {
  const set = activeSet({ mode: aMode({ toolboxIds }), toolboxes, commands, sources, roles });
  return {
    toolboxes: set.toolboxes.map(({ toolboxId }) => toolboxId),
    commands: set.commands.map(({ commandId }) => commandId),
    sourceIds: set.sourceIds,
  };
};

describe('the active set of a mode', () => {
  it('[AGN37-5-union] is the union over its toolboxes, without duplicates', () => {
    expect(active(['core', 'people'])).toEqual({
      toolboxes: ['core', 'people'],
      commands: ['SetActiveTicket', 'OpenTickets', 'SetActivePerson', 'RunRecipe'],
      sourceIds: ['tickets', 'people', 'recipes'],
    });
  });

  it('[AGN37-5-mode-change] changes with the mode', () => {
    expect(active(['core']).sourceIds).toEqual(['tickets']);
    expect(active(['people']).commands).not.toContain('OpenTickets');
    expect(active([])).toEqual({ toolboxes: [], commands: [], sourceIds: [] });
  });

  it('[AGN37-5-inactive] excludes a command whose catalog is in no active toolbox', () => {
    const lone = toolboxRow({ catalogIds: [], commandIds: ['SetActiveTicket', 'RunRecipe'] });
    expect(active(['core'], [], [lone])).toMatchObject({ commands: ['RunRecipe'], sourceIds: ['recipes'] });
  });

  it('[AGN37-5-inactive] excludes a launcher whose target catalog is not active', () => {
    const open = launcherRow({ targetCatalogId: 'people' });
    const input = { mode: aMode({ toolboxIds: ['core'] }), toolboxes: [core], sources, roles: [] };
    expect(activeSet({ ...input, commands: [open] }).commands).toEqual([]);
    expect(activeSet({ ...input, toolboxes: [core, joining], commands: [open] }).commands).toEqual([open]);
  });

  it('[AGN37-5-provider] contains a provider only through a command of an active toolbox', () => {
    expect(active(['core']).sourceIds).not.toContain('recipes');
    expect(active(['people']).sourceIds).toContain('recipes');
  });

  it('[AGN37-5-roles] contains a gated toolbox only for its roles, and a gated command only for its own', () => {
    expect(active(['core', 'gated'])).toMatchObject({ toolboxes: ['core'], sourceIds: ['tickets'] });
    expect(active(['gated'], ['lead'])).toMatchObject({ commands: [], sourceIds: ['secrets'] });
    expect(active(['gated'], ['lead', 'auditor']).commands).toEqual(['Audit']);
    expect(active(['gated'], ['auditor']).toolboxes).toEqual([]);
  });

  it('[PACK-active-in] contains a toolbox that joins the mode', () => {
    expect(active(['core'], [], [joining, core])).toMatchObject({
      toolboxes: ['core', 'joining'],
      sourceIds: ['tickets', 'people'],
    });
    expect(active([], [], [toolboxRow({ activeIn: ['other'] })]).toolboxes).toEqual([]);
  });
});
