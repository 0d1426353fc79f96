import { describe, expect, it } from 'vitest';
import type { ConfigProblem } from '#shared/app-error';
import type { SeedLayer } from '../ports/seed-layer';
import {
  catalogRow,
  commandRow,
  inFile,
  modeRow,
  otherMode,
  packLayer,
  seedLayer,
  toolboxRow,
} from '../../testing/seed-rows';
import { mergeSeedLayers } from './merge-seed-layers';
import { providerDefinitions } from '../sources/provider-definitions';

const settle = (seeds: SeedLayer, ...packs: SeedLayer[]) =>
  mergeSeedLayers(seeds, packs, { providers: providerDefinitions, checkRecipe: () => [] });

const problem = (file: string): ConfigProblem => ({
  file,
  field: '',
  rule: 'json',
  reason: 'It is not JSON.',
});
const inPack = (name: string, file: string) => `/home/packs/${name}/${file}`;
const packMode = (name: string, change: Record<string, unknown> = {}) =>
  packLayer(name, {
    modes: [inFile(inPack(name, 'modes/m.json'), otherMode({ ddr: 'AGN-100', ...change }))],
  });

function refused(seeds: SeedLayer, ...packs: SeedLayer[]) {
  const rows = settle(seeds, ...packs);
  if (rows.ok) throw new Error('It started.');
  const { kind, code, problems = [], hint } = rows.error;
  return { kind, code, hint, rules: problems.map(({ file, rule }) => `${file} ${rule}`) };
}

function started(...packs: SeedLayer[]) {
  const rows = settle(seedLayer(), ...packs);
  if (!rows.ok) throw new Error(JSON.stringify(rows.error));
  return rows.value;
}

describe('the rows of a start', () => {
  it('[PACK-order] are the seeds, then the packs, in catalog order', () => {
    const rows = started(packMode('a'), packMode('b', { key: 'b', id: 'B'.repeat(32) }));
    expect(rows.modes.map(({ key }) => key)).toEqual(['general', 'tickets', 'b']);
    expect(rows.packs.map(({ name, disabled }) => [name, disabled])).toEqual([
      ['a', undefined],
      ['b', undefined],
    ]);
  });

  it('[CPR-7-user-titles-flow] leave pack catalogs open by default, and mark all their items as user-titled', () => {
    const catalog = (name: string, vocabulary?: 'curated') =>
      packLayer(name, {
        catalogs: [
          inFile(inPack(name, `catalogs/${name}.json`), {
            ...catalogRow(),
            catalogId: name,
            vocabulary,
            items: [{ header: { id: 'a', displayName: 'The build' }, aliases: [], keywords: [] }],
          }),
        ],
      });
    const { catalogs, bundled: brought } = started(catalog('silent'), catalog('declared', 'curated'));
    const of = (id: string) => catalogs.find(({ catalogId }) => catalogId === id);
    expect(of('silent')).toMatchObject({ vocabulary: 'open', items: [{ userTitled: true }] });
    expect(of('declared')).toMatchObject({ vocabulary: 'curated', items: [{ userTitled: true }] });
    expect(brought.modes).toEqual(new Set(['general']));
  });

  it('[AGN14-7-6-fatal] are refused when a seed mode breaks a rule, with every violation', () => {
    const modes = [
      inFile('/seeds/modes/general.json', modeRow({ id: 'x', isDefault: false, whenToUse: '' })),
    ];
    expect(refused(seedLayer({ modes }))).toEqual({
      kind: 'CONFIG',
      code: 'INVALID',
      hint: 'Fix these files, or reinstall Patina.',
      rules: [
        '/seeds/modes/general.json mode-id-format',
        '/seeds/modes/general.json when-to-use',
        '/seeds/modes one-default',
      ],
    });
  });

  it('[START-rows] are refused when a seed command, toolbox or catalog is invalid', () => {
    const toolboxes = [inFile('/seeds/toolboxes/core.json', toolboxRow({ commandIds: ['Lost'] }))];
    expect(refused(seedLayer({ toolboxes })).rules).toEqual(['/seeds/toolboxes/core.json command-known']);
    const commands = [
      inFile('/seeds/commands/X.json', commandRow({ intentPatterns: ['work on {item} with {item}'] })),
      ...seedLayer().commands.slice(1),
    ];
    expect(refused(seedLayer({ commands })).rules).toHaveLength(1);
    expect(refused(seedLayer({ problems: [problem('/seeds/commands/X.json')] })).rules).toEqual([
      '/seeds/commands/X.json json',
    ]);
  });
});

describe('a pack', () => {
  it('[PACK-mode] with an invalid mode stops the start, and the error says how to start without it', () => {
    const { rules, hint } = refused(seedLayer(), packMode('bad', { status: 'gone' }));
    expect(rules).toEqual(['/home/packs/bad/modes/m.json status']);
    expect(hint).toContain('Start without this pack: set PATINA_WITHOUT_PACKS=bad for one start');
  });

  it('[DAMAGE-one-item] with a mode or workflow file that is not JSON is switched off alone', () => {
    for (const file of ['modes/m.json', 'workflows/w.json']) {
      const { packs } = started(packLayer('bad', { problems: [problem(inPack('bad', file))] }));
      expect(packs.map(({ name, disabled }) => [name, disabled?.length])).toEqual([['bad', 1]]);
    }
  });

  it('[PACK-ddr] [AGN14-8-governance] with a mode that names no design record stops the start', () => {
    for (const ddr of [undefined, '', ' ']) {
      expect(refused(seedLayer(), packMode('bad', { ddr })).rules).toEqual([
        '/home/packs/bad/modes/m.json mode-ddr',
      ]);
    }
  });

  it('[AGN14-7-3-default] with a second default mode stops the start', () => {
    expect(refused(seedLayer(), packMode('bad', { isDefault: true })).rules).toEqual([
      '/home/packs/bad/modes/m.json one-default',
    ]);
  });

  it('[PACK-duplicate] with an existing id stops the start, in every kind of row', () => {
    const file = inPack('bad', 'x.json');
    const layers: Partial<SeedLayer>[] = [
      { commands: [inFile(file, commandRow())] },
      { toolboxes: [inFile(file, toolboxRow())] },
      { catalogs: [inFile(file, catalogRow())] },
      { modes: [inFile(file, otherMode({ key: 'general', ddr: 'AGN-100' }))] },
    ];
    for (const layer of layers) {
      const { rules, hint } = refused(seedLayer(), packLayer('bad', layer));
      expect(rules).toHaveLength(1);
      expect(rules[0]).toMatch(/^\/home\/packs\/bad\/x\.json (id|mode-key)-unique$/);
      expect(hint).toContain('PATINA_WITHOUT_PACKS=bad ');
    }
  });

  it('[PACK-duplicate] with the id of another pack stops the start, and the error names the later one', () => {
    const twin = packLayer('b', { pack: { name: 'b', folder: '/home/packs/b', id: 'a', version: '1' } });
    const { rules, hint } = refused(seedLayer(), packLayer('a'), twin);
    expect(rules).toEqual(['/home/packs/b/pack.json id-unique']);
    expect(hint).toContain('PATINA_WITHOUT_PACKS=b ');
  });

  it('[PACK-duplicate] is named together with all other invalid packs', () => {
    const { hint } = refused(seedLayer(), packMode('one', { id: 'x' }), packMode('two', { key: 'X' }));
    expect(hint).toContain('Start without these packs: set PATINA_WITHOUT_PACKS=one,two for one start');
  });

  it('[PACK-disabled] with any other invalid row is switched off alone, as a whole, with the reason', () => {
    const bad = packLayer('bad', {
      ...packMode('bad'),
      catalogs: [inFile(inPack('bad', 'c.json'), catalogRow({ catalogId: 'more', items: undefined }))],
    });
    const good = packLayer('good', {
      catalogs: [inFile(inPack('good', 'c.json'), catalogRow({ catalogId: 'other' }))],
    });
    const rows = started(bad, good);
    expect(rows.packs).toMatchObject([
      { name: 'bad', disabled: [{ rule: 'catalog-filled' }] },
      { name: 'good' },
    ]);
    expect(rows.catalogs.map(({ catalogId }) => catalogId)).toEqual(['tickets', 'other']);
    expect(rows.modes.map(({ key }) => key)).toEqual(['general']);
  });

  it('[PACK-disabled] with a file that violates its schema is switched off', () => {
    const rows = started(packLayer('bad', { problems: [problem(inPack('bad', 'commands/X.json'))] }));
    expect(rows.packs).toMatchObject([{ disabled: [{ file: '/home/packs/bad/commands/X.json' }] }]);
  });

  it('[PACK-disabled] [ROWS-patterns] with a pattern that belongs to another command is switched off alone', () => {
    const twin = (name: string) =>
      packLayer(name, {
        commands: [inFile(inPack(name, 'c.json'), commandRow({ commandId: name, slash: name }))],
        toolboxes: [
          inFile(
            't',
            toolboxRow({ toolboxId: name, catalogIds: [], commandIds: [name], activeIn: ['general'] }),
          ),
        ],
      });
    const other = packLayer('z', {
      catalogs: [inFile(inPack('z', 'c.json'), catalogRow({ catalogId: 'other' }))],
    });
    const rows = started(twin('twin'), other);
    expect(rows.packs).toMatchObject([
      { name: 'twin', disabled: [{ file: '/home/packs/twin/c.json' }] },
      { name: 'z' },
    ]);
    expect(rows.packs[1]?.disabled).toBeUndefined();
    expect(rows.commands.map(({ commandId }) => commandId)).toEqual(['SetActiveTicket', 'OpenTickets']);
  });

  it('[PACK-order] may use the packs before it, not those after it', () => {
    const catalogs = [inFile('c', catalogRow({ catalogId: 'shared' }))];
    const toolbox = inFile('t', toolboxRow({ toolboxId: 'uses', catalogIds: ['shared'], commandIds: [] }));
    const uses = (name: string) => packLayer(name, { toolboxes: [toolbox] });
    expect(started(packLayer('a', { catalogs }), uses('b')).packs[1]?.disabled).toBeUndefined();
    expect(started(uses('a'), packLayer('b', { catalogs })).packs[0]?.disabled).toMatchObject([
      { rule: 'catalog-known' },
    ]);
  });
});
