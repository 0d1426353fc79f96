import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { composeSeeds, type Seeds } from '../compose/seeds';
import { filledByCode } from '../../core/control-plane/catalog-definition';
import { createModeCatalog } from '../../core/modes/mode-catalog';
import { providerDefinitions } from '../../core/sources/provider-definitions';
import { windowDefinitions } from '../../core/sources/window-sources';

const folder = path.resolve(import.meta.dirname, '../../../seeds');
const providers = providerDefinitions;

function start(): Seeds {
  const seeds = composeSeeds(folder, { packs: [], providers });
  if (!seeds.ok) throw new Error(JSON.stringify(seeds.error, null, 2));
  return seeds.value;
}

describe('the seeds', () => {
  it('[AGN14-8-1] [AGN14-8-2] [AGN14-8-3] contain the three modes with their fixed texts, in order', () => {
    const modes = start().modes.map(
      ({ id, key, displayName, description, whenToUse, isDefault, status, version }) => ({
        id,
        key,
        displayName,
        description,
        whenToUse,
        isDefault,
        status,
        version,
      }),
    );
    const same = { status: 'active', version: 'v1' };
    expect(modes).toEqual([
      {
        id: '3F8E4F377F7A4C189C7F6A8B9F945C11',
        key: 'general',
        displayName: 'General',
        description: 'General-purpose assistance for everyday Q&A, explanation, and lightweight help.',
        whenToUse: 'Use this mode for everyday Q&A, explanation, and lightweight assistance.',
        isDefault: true,
        ...same,
      },
      {
        id: 'A9E1F9C15A0C4F8D9AF51F3E8B2A6D22',
        key: 'ddr_authoring',
        displayName: 'DDR Authoring',
        description:
          'Structured creation, refinement, and validation of Aptix DDR specifications following SYS-001.',
        whenToUse:
          'Use this mode when the user wants to create, refine, or validate Aptix DDR specifications following SYS-001.',
        isDefault: false,
        ...same,
      },
      {
        id: '0FB81E6A8337444BA00A0CE28E3A1F78',
        key: 'workflow_authoring',
        displayName: 'Workflow Authoring',
        description:
          'Creation, refinement, and validation of Aptix agent workflows using the Workflow Registry Tool (TUL-006).',
        whenToUse: 'Use this mode when defining, editing, or validating Aptix workflows using TUL-006.',
        isDefault: false,
        ...same,
      },
    ]);
  });

  it('[AGN14-8-tools] give each mode the tools of AGN-014 §8', () => {
    const catalog = createModeCatalog(start().modes);
    const always = ['agent_change_mode', 'agent_list_modes', 'agent_workflow_registry', 'agent_run_command'];
    expect(catalog.getToolsForMode('general')).toEqual([...always, 'mcp://*']);
    expect(catalog.getToolsForMode('ddr_authoring')).toEqual(
      expect.arrayContaining([...always, 'agent_ddr_manager']),
    );
    expect(catalog.getToolsForMode('workflow_authoring')).toEqual(
      expect.arrayContaining([...always, 'agent_workflow_authoring']),
    );
  });

  it('[ROWS-seed-ids] have the ids of the specification', () => {
    const { catalogs, commands } = start();
    const items = new Map(
      catalogs.flatMap(({ items = [] }) => items.map((item) => [item.header.id, item] as const)),
    );
    expect(items.get('TPL-123')?.header.displayName).toBe('Q1 CFO Outreach');
    expect(items.get('TPL-123')?.relatedEntities).toContainEqual({
      entityType: 'persona',
      header: { id: 'PERS-22', displayName: 'CFO - MidMarket' },
      role: 'audience',
    });
    expect(items.get('PERS-22')?.header.displayName).toBe('CFO - MidMarket');
    expect(items.get('LIST-9')?.header.displayName).toBe('Q1 pilot list');
    const ids = commands.map(({ commandId }) => commandId);
    expect(ids).toEqual(
      expect.arrayContaining([
        'SetMode',
        'OpenEmailTemplates',
        'SetActiveEmailTemplate',
        'SendTemplateToMailerList',
      ]),
    );
    expect(createModeCatalog(start().modes).getMode('ddr_authoring').aliases).toContain('ddr');
  });

  it('[ROWS-related] relate entities that are in the catalogs under the same name', () => {
    const { catalogs } = start();
    const names = new Map(
      catalogs.flatMap(({ entityType, items = [] }) =>
        items.map(({ header }) => [`${entityType} ${header.id}`, header.displayName] as const),
      ),
    );
    const related = catalogs.flatMap(({ items = [] }) => items.flatMap((item) => item.relatedEntities ?? []));
    expect(related.length).toBeGreaterThan(0);
    for (const { entityType, header } of related) {
      expect(names.get(`${entityType} ${header.id}`)).toBe(header.displayName);
    }
  });

  it('[ROWS-every-source] have a launcher and a slash name for every catalog and provider', () => {
    const { catalogs, commands } = start();
    for (const id of [
      // The newest change is one item or none, never a list.
      ...catalogs.map(({ catalogId }) => catalogId).filter((id) => id !== 'last_change'),
      // What a window action is about is no list.
      ...providerDefinitions.filter((one) => !windowDefinitions.includes(one)).map(({ id }) => id),
    ]) {
      const over = commands.filter(({ resolverSource }) => Object.values(resolverSource).includes(id));
      expect(
        over.some(({ commandKind }) => commandKind === 'launcher'),
        id,
      ).toBe(true);
      expect(
        over.some(({ commandKind, slash }) => commandKind === 'executable' && slash),
        id,
      ).toBe(true);
    }
  });

  it('[AGN37-6-confirm] ask in the words of their rows before commands with external effects', () => {
    const risky = start().commands.filter(({ producesSideEffects }) => producesSideEffects);
    expect(risky).toMatchObject([
      {
        commandId: 'SendTemplateToMailerList',
        singleParameterName: 'mailerListId',
        requiredFocus: 'email_template',
        confirmation: { text: "Confirm send to '{item}'?" },
      },
      { commandId: 'UndoLast', singleParameterName: 'runId', confirmation: { text: 'Undo {item}?' } },
      { commandId: 'UndoRun', singleParameterName: 'runId', confirmation: { text: 'Undo {item}?' } },
    ]);
  });

  it('[ROWS-actions] name window actions without an Id, each shortcut once', () => {
    const { actions } = start();
    expect(actions.map(({ actionId }) => actionId)).toEqual(
      expect.arrayContaining(['new-session', 'search-sessions', 'stop', 'shortcuts', 'settings']),
    );
    const shortcuts = actions.flatMap(({ shortcut }) => shortcut ?? []);
    expect(new Set(shortcuts).size).toBe(shortcuts.length);
  });

  it('fill from code only the catalogs that name no items', () => {
    const unfilled = start().catalogs.filter(({ items }) => items === undefined);
    expect(unfilled.map(({ catalogId }) => catalogId).sort()).toEqual([...filledByCode].sort());
  });

  it('[PACK-frozen] cannot be changed after the start', () => {
    const seeds = start();
    expect(() => Object.assign(seeds.modes[0] ?? {}, { key: 'x' })).toThrow(TypeError);
    expect(() => seeds.commands[0]?.intentPatterns.push('x')).toThrow(TypeError);
    expect(() => (seeds.catalogs as unknown[]).push({})).toThrow(TypeError);
  });
});
