import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { modeRow, otherMode } from '../../testing/seed-rows';
import { finishInstalls } from '../adapters/seeds/pack-files';
import { readPacks } from '../adapters/seeds/read-packs';
import { composeSeeds, packsLeftOut, type Seeds } from './seeds';
import { activeSet } from '../../core/control-plane/active-set';
import { sourceDefinitions } from '../../core/control-plane/catalog-definition';
import { createItemIndex } from '../../core/control-plane/item-index';
import { route } from '../../core/control-plane/route';
import { compileRoutingTable } from '../../core/control-plane/routing-table';
import { createModeCatalog } from '../../core/modes/mode-catalog';
import { packNotices } from '../notices/pack-notices';
import { providerDefinitions } from '../../core/sources/provider-definitions';

const node = { id: 'a', title: 'A', kind: 'script', deps: [], code: 'return { summary: "" }' };
const root = path.resolve(import.meta.dirname, '../../..');
const shipped = path.join(root, 'seeds');
const example = path.join(root, 'examples/packs/tickets');
const providers = providerDefinitions;

let home = '';
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'patina-seeds-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const packsFolder = (): string => path.join(home, 'packs');
const compose = (seeds = shipped, without: readonly string[] = []) =>
  composeSeeds(seeds, { packs: readPacks(packsFolder(), without), providers });

function start(...without: string[]): Seeds {
  const seeds = compose(shipped, without);
  if (!seeds.ok) throw new Error(JSON.stringify(seeds.error, null, 2));
  return seeds.value;
}

function put(name: string, value: unknown): string {
  const file = path.join(home, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
  return file;
}
const putPack = (name: string) => put(`packs/${name}/pack.json`, { id: name, version: '1' });
const dropIn = () => cpSync(example, path.join(packsFolder(), 'tickets'), { recursive: true });

/** A copy of the seeds that a test may corrupt. */
function copiedSeeds(): string {
  const folder = path.join(home, 'seeds');
  cpSync(shipped, folder, { recursive: true });
  return folder;
}

function problemsOf(result: ReturnType<typeof compose>) {
  if (result.ok) throw new Error('It started.');
  return (result.error.problems ?? []).map(
    ({ file, field, rule }) => `${path.relative(home, file)} ${field} ${rule}`,
  );
}

/** The router's decision in a mode, with unchanged catalog items. */
function routeIn(seeds: Seeds, modeKey: string, text: string) {
  const mode = createModeCatalog(seeds.modes).getMode(modeKey);
  const sources = sourceDefinitions(seeds.catalogs, providers);
  const { commands } = activeSet({ ...seeds, mode, sources, roles: [] });
  const table = compileRoutingTable(commands, sources);
  return route(text, {
    table,
    indexOf: (source) => {
      const catalog = seeds.catalogs.find(
        (row) => 'catalogId' in source && row.catalogId === source.catalogId,
      );
      const definition = catalog && sources.get(catalog.catalogId);
      return catalog?.items && definition && createItemIndex(catalog.items, definition);
    },
    withheld: new Set<string>(),
    modeWithSlash: () => undefined,
    unavailable: [],
    mode: modeKey,
    ui: true,
    focus: null,
    question: null,
    stale: () => false,
  });
}

describe('a start with invalid seeds', () => {
  it('[START-every-problem] names file, field and rule of all problems at once', () => {
    const seeds = copiedSeeds();
    put('seeds/modes/general.json', { ...modeRow({ id: 'short' }), toolboxIds: ['core'] });
    put('seeds/modes/extra.json', '{ not json');
    put('seeds/budgets.json', { node: 3 });
    put('seeds/commands/SetMode.json', { commandId: 'SetMode' });
    const problems = problemsOf(compose(seeds));
    expect(problems).toContain('seeds/modes/general.json id mode-id-format');
    expect(problems).toContain('seeds/modes/extra.json  json');
    expect(problems.some((line) => line.startsWith('seeds/budgets.json '))).toBe(true);
    expect(problems).toContain('seeds/commands/SetMode.json toolName invalid_type');
  });

  it('[START-every-problem] refuses a row whose file has another name', () => {
    const seeds = copiedSeeds();
    put('seeds/actions/other.json', { actionId: 'new-thing', displayName: 'X', group: 'App' });
    expect(problemsOf(compose(seeds))).toEqual(['seeds/actions/other.json actionId file-name']);
  });

  it('[AGN14-7-3-default] refuses seeds without a mode', () => {
    const seeds = copiedSeeds();
    rmSync(path.join(seeds, 'modes'), { recursive: true });
    expect(problemsOf(compose(seeds))).toContain('seeds/modes isDefault one-default');
  });
});

describe('packs on disk', () => {
  it('[AGN37-11-rows-only] add a capability with rows alone in the example', () => {
    expect(routeIn(start(), 'general', 'work on ticket TCK-101').action.type).toBe('continue-with-llm');
    dropIn();
    const seeds = start();
    expect(seeds.packs).toMatchObject([{ name: 'tickets', id: 'tickets', version: '1.0.0' }]);
    expect(seeds.packs[0]?.disabled).toBeUndefined();
    expect(routeIn(seeds, 'general', 'work on ticket TCK-101').action).toEqual({
      type: 'invoke-command',
      commandId: 'SetActiveTicket',
      resolvedId: 'TCK-101',
    });
    expect(routeIn(seeds, 'general', 'show my tickets').action).toMatchObject({
      type: 'open-picker',
      source: { catalogId: 'tickets' },
    });
    expect(routeIn(seeds, 'general', '/ticket export timeout').action).toMatchObject({
      resolvedId: 'TCK-102',
    });
  });

  it('[PACK-active-in] [AGN37-5-inactive] are active only in the modes that their toolbox joins', () => {
    dropIn();
    expect(routeIn(start(), 'ddr_authoring', 'work on ticket TCK-101').action.type).toBe('continue-with-llm');
  });

  it('[PACK-without] are skipped by the names of their folders', () => {
    dropIn();
    putPack('other');
    expect(start('tickets').packs.map(({ name }) => name)).toEqual(['other']);
    expect(packsLeftOut({ PATINA_WITHOUT_PACKS: ' tickets, other,,' })).toEqual(['tickets', 'other']);
    expect(packsLeftOut({})).toEqual([]);
  });

  it('[PACK-mode] stop the start with an invalid mode, and not when skipped', () => {
    putPack('bad');
    put('packs/bad/modes/tickets.json', otherMode({ ddr: 'AGN-100', whenToUse: '' }));
    const refused = compose();
    expect(problemsOf(refused)).toEqual(['packs/bad/modes/tickets.json whenToUse when-to-use']);
    expect(refused).toMatchObject({
      error: {
        kind: 'CONFIG',
        code: 'INVALID',
        hint: expect.stringContaining('PATINA_WITHOUT_PACKS=bad ') as string,
      },
    });
    expect(start('bad').packs).toEqual([]);
  });

  it('[PACK-mode] add a valid mode, last in catalog order', () => {
    putPack('good');
    put('packs/good/modes/tickets.json', otherMode({ ddr: 'AGN-100', toolboxIds: ['core'] }));
    const keys = start().modes.map(({ key }) => key);
    expect(keys).toEqual(['general', 'ddr_authoring', 'workflow_authoring', 'tickets']);
  });

  it.each([
    ['no pack.json', {}, 'packs/p/pack.json  exists'],
    ['a pack.json that is no JSON', { 'pack.json': '{' }, 'packs/p/pack.json  json'],
    ['no version', { 'pack.json': { id: 'p' } }, 'packs/p/pack.json version invalid_type'],
    [
      'a folder nobody reads',
      { 'pack.json': { id: 'p', version: '1' }, 'command/x.json': {} },
      'packs/p/command  pack-layout',
    ],
    [
      'a recipe whose pattern does not hold',
      {
        'pack.json': { id: 'p', version: '1' },
        'recipes/r.json': {
          id: 'r',
          title: 'R',
          intentPatterns: ['do {nothing}'],
          plan: { goal: 'g', constraints: [], nodes: [node], answer: 'a' },
        },
      },
      'packs/p/recipes/r.json intentPatterns.0 intent-pattern',
    ],
  ])(
    '[PACK-disabled] [PACK-layout] are switched off with %s, and a notice says so',
    (_what, files, found) => {
      mkdirSync(path.join(packsFolder(), 'p'), { recursive: true });
      for (const [name, value] of Object.entries(files)) put(`packs/p/${name}`, value);
      const { packs } = start();
      const lines = packs[0]?.disabled?.map(
        ({ file, field, rule }) => `${path.relative(home, file)} ${field} ${rule}`,
      );
      expect(lines).toContain(found);
      expect(packNotices(packs)).toMatchObject([
        { id: 'pack-p', level: 'warning', title: 'The pack "p" is switched off' },
      ]);
    },
  );

  it('may contain other files and hidden folders, which are ignored', () => {
    putPack('p');
    put('packs/p/README.md', '# Hello');
    put('packs/.trash/pack.json', '{');
    put('packs/notes.txt', 'x');
    symlinkSync('circle', path.join(packsFolder(), 'circle'));
    symlinkSync('nowhere', path.join(packsFolder(), 'dangling'));
    const { packs } = start();
    expect(packs.map(({ name, disabled }) => [name, disabled])).toEqual([['p', undefined]]);
    expect(packNotices(packs)).toEqual([]);
  });

  it('[PACK-disabled] stop no start when their folder cannot be listed, and a notice says why', () => {
    put('packs', 'not a folder');
    expect(() => finishInstalls(packsFolder())).not.toThrow();
    expect(packNotices(start().packs)).toMatchObject([
      { level: 'warning', detail: expect.stringContaining('cannot be read (ENOTDIR)') as string },
    ]);
  });

  it('[PACK-large] may have a catalog of many thousand items, but no row of unlimited size', () => {
    dropIn();
    const items = Array.from({ length: 20_000 }, (_, at) => ({
      header: { id: `T-${at}`, displayName: `Ticket number ${at}` },
    }));
    const nouns = { one: ['case'], many: ['cases'] };
    put('packs/tickets/catalogs/cases.json', { catalogId: 'cases', displayName: 'Cases', nouns, items });
    expect(start().catalogs.find(({ catalogId }) => catalogId === 'cases')?.items).toHaveLength(20_000);
    put('packs/tickets/toolboxes/huge.json', `"${'x'.repeat(1024 * 1024)}"`);
    expect(start().packs[0]?.disabled).toMatchObject([{ rule: 'size' }]);
  });
});
