import { describe, expect, it } from 'vitest';
import { aMode, catalogRow, commandRow, inFile, launcherRow, toolboxRow } from '../../testing/seed-rows';
import { checkPatterns, checkRows, checkUnique, type RowsToCheck } from './check-rows';
import { providerDefinitions } from '../sources/provider-definitions';

const providers = providerDefinitions;

const rows = (change: Partial<RowsToCheck> = {}): RowsToCheck => ({
  modes: [aMode()],
  toolboxes: [inFile('core', toolboxRow())],
  commands: [inFile('ticket', commandRow()), inFile('open', launcherRow())],
  catalogs: [inFile('tickets', catalogRow())],
  actions: [],
  ...change,
});
/** Checks rows as startup does: patterns only for rows that are otherwise valid. */
const found = (change: Partial<RowsToCheck>) => {
  const single = checkRows(rows(change), { providers });
  const problems = single.length > 0 ? single : checkPatterns(rows(change), { providers });
  return problems.map(({ file, field, rule }) => `${file} ${field} ${rule}`);
};
/** Does the same with one command changed. */
const ofCommand = (change: Record<string, unknown>) =>
  found({ commands: [inFile('ticket', commandRow(change)), inFile('open', launcherRow())] });

describe('the rules of commands', () => {
  it('accept correct rows', () => {
    expect(found({})).toEqual([]);
    const tool = { toolName: 'mcp://jira.get_issue', setsActiveContext: false, activeEntityType: undefined };
    expect(ofCommand(tool)).toEqual([]);
  });

  it.each(['jira_get', 'mcp://jira', 'mcp://Jira.get', 'mcp://*', 'agent_list_modes', ' set_active_context'])(
    '[AGN37-6-tool] a command cannot name the tool %j',
    (toolName) => {
      const quiet = { setsActiveContext: false, activeEntityType: undefined };
      expect(ofCommand({ toolName, ...quiet })).toEqual(['ticket toolName tool-known']);
    },
  );

  it('[AGN37-6-entity-type] a command that sets the active context names its entity type', () => {
    expect(ofCommand({ activeEntityType: undefined })).toEqual([
      'ticket activeEntityType active-entity-type',
    ]);
  });

  it('[AGN37-10-declared] effects must be declared, and no other effect can happen', () => {
    const open = { setsActiveContext: false, activeEntityType: undefined };
    expect(ofCommand(open)).toEqual(['ticket setsActiveContext declared-effect']);
    expect(ofCommand({ toolName: 'open_session' })).toEqual(['ticket setsActiveContext declared-effect']);
    expect(ofCommand({ toolName: 'agent_change_mode', ...open })).toEqual([
      'ticket setsSessionMode declared-effect',
    ]);
    expect(ofCommand({ setsSessionMode: true })).toEqual(['ticket setsSessionMode declared-effect']);
  });

  it('[AGN37-5-source] the source is an existing catalog or provider, each under its own kind', () => {
    for (const resolverSource of [
      { catalogId: 'lost' },
      { providerId: 'lost' },
      { providerId: 'tickets' },
      { catalogId: 'recipes' },
    ]) {
      expect(ofCommand({ resolverSource })).toEqual(['ticket resolverSource source-known']);
    }
    expect(ofCommand({ targetCatalogId: 'lost' })).toEqual(['ticket targetCatalogId source-known']);
  });

  it('[AGN37-6-target-mode] a target mode is the key of a mode', () => {
    expect(ofCommand({ targetModeId: 'general' })).toEqual([]);
    expect(ofCommand({ targetModeId: 'lost' })).toEqual(['ticket targetModeId mode-known']);
  });

  it('[AGN37-6-one-parameter] the one parameter cannot be a constant', () => {
    expect(ofCommand({ constants: { why: 'x' } })).toEqual([]);
    expect(ofCommand({ constants: { id: 'T-1' } })).toEqual(['ticket constants one-parameter']);
  });

  it('[ROWS-slash] a slash name belongs to one command', () => {
    expect(ofCommand({ slash: 'tickets' })).toEqual(['open slash slash-unique']);
  });

  it('[ROWS-patterns] [AGN37-6-one-parameter] patterns that the router cannot match are reported', () => {
    const rulesOf = (intentPatterns: string[]) => ofCommand({ intentPatterns });
    expect(rulesOf(['take {item} with {item}'])).toHaveLength(1);
    expect(rulesOf(['(work on {item}'])).toHaveLength(1);
    expect(rulesOf(['{item}'])).toHaveLength(1);
    const twin = commandRow({ commandId: 'Twin', slash: 'twin' });
    const commands = [...rows().commands, inFile('twin', twin)];
    const toolboxes = [
      inFile('core', toolboxRow({ commandIds: ['SetActiveTicket', 'OpenTickets', 'Twin'] })),
    ];
    const twins = found({ commands, toolboxes });
    expect(twins).toHaveLength(1);
    expect(twins[0]).toMatch(/^(twin|ticket) intentPatterns/);
  });

  it('[ROWS-patterns] equal patterns that no mode activates together are accepted', () => {
    const twin = commandRow({ commandId: 'Twin', slash: 'twin' });
    expect(found({ commands: [...rows().commands, inFile('twin', twin)] })).toEqual([]);
  });
});

describe('the rules of launchers', () => {
  const launched = (toolbox: Record<string, unknown>, more: ReturnType<typeof toolboxRow>[] = []) =>
    found({ toolboxes: [toolboxRow(toolbox), ...more].map((row) => inFile('core', row)) });
  const elsewhere = (change: Record<string, unknown> = {}) =>
    toolboxRow({ toolboxId: 'more', commandIds: [], activeIn: ['general'], ...change });

  it("[ROWS-launcher] a launcher's catalog is active wherever the launcher is", () => {
    expect(launched({ catalogIds: [] })).toEqual(['open resolverSource launcher-catalog']);
    expect(launched({ catalogIds: [] }, [elsewhere()])).toEqual([]);
    expect(launched({ catalogIds: [] }, [elsewhere({ activeIn: [] })])).toEqual([
      'open resolverSource launcher-catalog',
    ]);
  });

  it('[ROWS-launcher] for everyone who has the launcher, whatever the roles', () => {
    const gated = elsewhere({ requiredRoles: ['lead'] });
    expect(launched({ catalogIds: [] }, [gated])).toEqual(['open resolverSource launcher-catalog']);
    expect(launched({ catalogIds: [], requiredRoles: ['lead'] }, [gated])).toEqual([]);
  });

  it('[ROWS-launcher] every choice leads to a command', () => {
    expect(launched({ commandIds: ['OpenTickets'] })).toEqual(['open resolverSource launcher-command']);
  });
});

describe('the rules of toolboxes and catalogs', () => {
  it('[ROWS-toolbox] a toolbox names existing catalogs, commands and modes', () => {
    const lost = { catalogIds: ['tickets', 'x'], commandIds: ['y'], activeIn: ['z'] };
    expect(found({ toolboxes: [inFile('core', toolboxRow(lost))] })).toEqual([
      'core catalogIds.1 catalog-known',
      'core commandIds.0 command-known',
      'core activeIn.0 mode-known',
    ]);
  });

  it('[AGN37-5-catalog] a catalog has items, and each Id once', () => {
    const item = { header: { id: 'T-1', displayName: 'Login fails' } };
    expect(found({ catalogs: [inFile('tickets', catalogRow({ items: [item, item] }))] })).toEqual([
      'tickets items.1.header.id item-unique',
    ]);
    expect(found({ catalogs: [inFile('tickets', catalogRow({ items: undefined }))] })).toEqual([
      'tickets items catalog-filled',
    ]);
    expect(found({ catalogs: [inFile('tickets', catalogRow({ items: [] }))] })).toEqual([]);
  });

  it('[AGN37-5-one-id] an id names one source: no catalog is named like a provider', () => {
    const recipes = inFile('recipes', catalogRow({ catalogId: 'recipes' }));
    expect(found({ catalogs: [...rows().catalogs, recipes] })).toEqual(['recipes catalogId source-unique']);
  });

  it('[ROWS-unique] of two rows with one id, the later one is reported and the first is named', () => {
    const twice = checkUnique([inFile('a', { id: 'x' }), inFile('b', { id: 'x' })], 'id', ({ id }) => id);
    expect(twice).toEqual([{ file: 'b', field: 'id', rule: 'id-unique', reason: '"x" is already in a.' }]);
  });
});
