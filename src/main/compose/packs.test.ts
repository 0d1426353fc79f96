import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PackSummary } from '#shared/pack';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';
import { createTypingUser } from '../../testing/typing-user';
import { packInstallCommand, packListCommand, packRemoveCommand } from '../cli/commands/pack';

const example = path.resolve('examples/packs/tickets');
let folder: string;
let home: string;
let harness: MainHarness;

const start = async () => (harness = await startMain({ at: home }));
const restart = async () => {
  await harness.close();
  return start();
};
const knowsTickets = () =>
  harness.app.plane.view(null).commands.some(({ commandId }) => commandId === 'SetActiveTicket');

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'patina-packs-'));
  home = path.join(folder, 'home');
  mkdirSync(home);
  await start();
});
afterEach(async () => {
  await harness.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A copy of the example pack, changed before it is installed. */
function variant(change: (at: string) => void): string {
  const at = path.join(folder, `variant-${Math.random()}`);
  cpSync(example, at, { recursive: true });
  change(at);
  return at;
}
const edit = (at: string, fields: object): void => {
  const file = path.join(at, 'pack.json');
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), ...fields }));
};

describe('a pack that the user installs', () => {
  it('[PACK-install] is read before it is copied, is used from the next start on, and can be replaced and removed', async () => {
    const chosen = must(harness.app.packs.read(example));
    expect(chosen).toMatchObject({ replaces: null, pack: { id: 'tickets', problems: [] } });
    expect(chosen.pack.counts.commands).toBeGreaterThan(0);
    expect(harness.app.packs.list()).toEqual({ packs: [], removed: [] });

    must(await harness.app.packs.install(chosen));
    expect(harness.app.packs.list().packs).toMatchObject([{ id: 'tickets', inUse: false }]);
    expect(knowsTickets()).toBe(false);
    await restart();
    expect(harness.app.packs.list().packs).toMatchObject([{ id: 'tickets', inUse: true }]);
    expect(knowsTickets()).toBe(true);

    const newer = variant((at) => edit(at, { version: '2.0.0' }));
    const { version } = chosen.pack;
    expect(must(harness.app.packs.read(newer))).toMatchObject({
      replaces: version,
      pack: { version: '2.0.0', problems: [] },
    });
    must(await harness.app.packs.install({ folder: newer }));
    expect(harness.app.packs.list().packs).toMatchObject([{ version: '2.0.0', inUse: false }]);

    must(harness.app.packs.remove('tickets'));
    expect(harness.app.packs.list()).toEqual({ packs: [], removed: ['tickets'] });
    const aside = path.join(home, 'packs', '.removed-tickets', 'pack.json');
    expect(JSON.parse(readFileSync(aside, 'utf8'))).toMatchObject({ version: '2.0.0' });
    await restart();
    expect(harness.app.packs.list()).toEqual({ packs: [], removed: [] });
    expect(knowsTickets()).toBe(false);
  });

  it.each(['before', 'after'] as const)(
    '[PACK-install] is completed at the next start when a crash came %s the old one was moved aside',
    async (when) => {
      const packs = path.join(home, 'packs');
      const place = path.join(packs, 'tickets');
      must(await harness.app.packs.install({ folder: example }));
      await harness.close();
      cpSync(example, path.join(packs, '.installing-tickets'), { recursive: true });
      edit(path.join(packs, '.installing-tickets'), { version: '9.0.0' });
      cpSync(place, path.join(packs, '.copying-tickets'), { recursive: true });
      if (when === 'after') renameSync(place, path.join(packs, '.removed-tickets'));
      await start();
      expect(harness.app.packs.list().packs).toMatchObject([{ id: 'tickets', version: '9.0.0' }]);
      expect(knowsTickets()).toBe(true);
      expect(existsSync(path.join(packs, '.installing-tickets'))).toBe(false);
    },
  );

  it('[PACK-install] copies only what a pack may have, and no link', async () => {
    const secret = path.join(folder, 'secret.json');
    writeFileSync(secret, '{}');
    const from = variant((at) => {
      writeFileSync(path.join(at, 'notes.txt'), 'not a part of a pack');
      writeFileSync(path.join(at, 'README.md'), '# Tickets');
      symlinkSync(secret, path.join(at, 'LICENSE'));
    });
    must(await harness.app.packs.install({ folder: from }));
    const at = (name: string) => existsSync(path.join(home, 'packs', 'tickets', name));
    expect({ readme: at('README.md'), notes: at('notes.txt'), link: at('LICENSE') }).toEqual({
      readme: true,
      notes: false,
      link: false,
    });
  });
});

describe('[PACK-refused] a folder that the next start would reject', () => {
  const problemsOf = (at: string): PackSummary['problems'] => must(harness.app.packs.read(at)).pack.problems;

  it('is reported with file and reason, and is not installed', async () => {
    const broken = variant((at) =>
      writeFileSync(path.join(at, 'commands', 'Broken.json'), '{"commandId":"Broken"}'),
    );
    expect(problemsOf(broken).map(({ file }) => path.basename(file))).toContain('Broken.json');
    expect(await harness.app.packs.install({ folder: broken })).toMatchObject({
      ok: false,
      error: { kind: 'CONFIG' },
    });
    const stranger = variant((at) => mkdirSync(path.join(at, 'scripts')));
    expect(problemsOf(stranger)).toMatchObject([{ rule: 'pack-layout' }]);
    expect(existsSync(path.join(home, 'packs'))).toBe(false);
  });

  it('contains a mode that would stop the start', async () => {
    const modes = variant((at) => {
      mkdirSync(path.join(at, 'modes'), { recursive: true });
      writeFileSync(path.join(at, 'modes', 'general.json'), '{"Key":"general"}');
    });
    expect(problemsOf(modes).length).toBeGreaterThan(0);
    expect(await harness.app.packs.install({ folder: modes })).toMatchObject({ ok: false });
    await restart();
  });

  it('uses rows of a pack that the start checks after it', async () => {
    must(await harness.app.packs.install({ folder: example }));
    const early = variant((at) => {
      edit(at, { id: 'add_on' });
      const row = readFileSync(path.join(at, 'commands', 'SetActiveTicket.json'), 'utf8');
      for (const name of ['catalogs', 'toolboxes', 'commands'])
        rmSync(path.join(at, name), { recursive: true });
      mkdirSync(path.join(at, 'commands'));
      const focus = { ...(JSON.parse(row) as object), commandId: 'FocusTicket', slash: 'focus-ticket' };
      writeFileSync(path.join(at, 'commands', 'FocusTicket.json'), JSON.stringify(focus));
    });
    expect(problemsOf(early)).toMatchObject([{ field: 'resolverSource' }]);
    cpSync(early, path.join(home, 'packs', 'add_on'), { recursive: true });
    const listed = () =>
      harness.app.packs.list().packs.map(({ id, inUse, problems }) => [id, inUse, problems.length > 0]);
    expect(listed()).toEqual([
      ['add_on', false, true],
      ['tickets', false, false],
    ]);
    await restart();
    expect(listed()).toEqual([
      ['add_on', false, true],
      ['tickets', true, false],
    ]);
  });

  it.each([
    ['has no pack.json', (at: string) => rmSync(path.join(at, 'pack.json'))],
    ['has one that is not JSON', (at: string) => writeFileSync(path.join(at, 'pack.json'), '{')],
    ['has an id that leads elsewhere', (at: string) => edit(at, { id: '../evil' })],
    ['would take the place of the user’s own recipes', (at: string) => edit(at, { id: 'my_recipes' })],
  ])('%s', async (_why, change) => {
    const at = variant(change);
    expect(harness.app.packs.read(at)).toMatchObject({
      ok: false,
      error: { kind: 'CONFIG', code: 'INVALID' },
    });
    expect(await harness.app.packs.install({ folder: at })).toMatchObject({ ok: false });
    expect(existsSync(path.join(home, 'packs'))).toBe(false);
  });

  it('is refused on the command line with the same message, and a valid one is listed there', async () => {
    const { terminal, said, out } = createTypingUser();
    const broken = variant((at) => writeFileSync(path.join(at, 'commands', 'Broken.json'), '{}'));
    expect(await packInstallCommand(harness.app, terminal, broken)).toBe(3);
    expect(said()).toContain('Broken.json');
    expect(packListCommand(harness.app, terminal)).toBe(0);
    expect(await packInstallCommand(harness.app, terminal, example)).toBe(0);
    expect(packListCommand(harness.app, terminal)).toBe(0);
    expect(out()).toMatch(/^tickets {2}1\.0\.0 {2}Tickets {2}\(1 catalog, 2 commands\)$/m);
    expect(await packRemoveCommand(harness.app, terminal, 'tickets')).toBe(0);
    expect(await packRemoveCommand(harness.app, terminal, 'tickets')).toBe(1);
  });

  it('is reported as unknown when there is nothing to remove', async () => {
    expect(harness.app.packs.remove('tickets')).toMatchObject({
      ok: false,
      error: { code: 'NOT_FOUND' },
    });
  });
});
