import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runnerImport } from 'vite';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { providerDefinitions } from '../src/core/sources/provider-definitions';
import { composeSeeds } from '../src/main/compose/seeds';
import { ROOT } from './lib/paths.mjs';
import { createScratchSources } from './lib/scratch-sources.mjs';

// Makes each small change of CONTRIBUTING's table in a scratch copy and touches only the files it promises.

const read = (/** @type {string} */ file) => fs.readFileSync(path.join(ROOT, file), 'utf8');

/** The text of a file with one row added before an existing one. */
function withRow(/** @type {string} */ file, /** @type {string} */ before, /** @type {string} */ row) {
  const text = read(file);
  if (!text.includes(before)) throw new Error(`${file} does not contain ${before}`);
  return text.replace(before, `${row}\n  ${before}`);
}

/** A file of `seeds` with some of its fields changed. */
const seedLike = (/** @type {string} */ file, /** @type {object} */ fields) =>
  JSON.stringify({ ...JSON.parse(read(file)), ...fields });

/** The new texts of the files that each change touches, by the change's name in CONTRIBUTING. */
const changes = {
  'a recipe': {
    'seeds/recipes/tally_notes.json': seedLike('seeds/recipes/count_todos.json', {
      id: 'tally_notes',
      example: 'tally my notes',
      intentPatterns: ['tally [all] my notes'],
      params: [],
    }),
  },
  'a slash command': {
    'seeds/commands/OpenNotes.json': seedLike('seeds/commands/OpenFiles.json', {
      commandId: 'OpenNotes',
      slash: 'notes',
      intentPatterns: ['(open|show) [me] my notes now'],
    }),
  },
  'a command of the window': {
    'seeds/actions/duplicate-session.json': JSON.stringify({
      actionId: 'duplicate-session',
      displayName: 'Duplicate this session',
      group: 'Session',
    }),
    'src/shared/window-action-ids.ts': withRow(
      'src/shared/window-action-ids.ts',
      "'archive-session',",
      "'duplicate-session',",
    ),
    'src/renderer/actions/implementations.ts': withRow(
      'src/renderer/actions/implementations.ts',
      "'archive-session': {",
      "'duplicate-session': { run: ({ commands }) => commands.newSession() },",
    ),
    'src/shared/row-names-de.ts': withRow(
      'src/shared/row-names-de.ts',
      "'archive-session':",
      "'duplicate-session': 'Diese Sitzung verdoppeln',",
    ),
  },
  'an IPC call': {
    'src/shared/ipc.ts': withRow(
      'src/shared/ipc.ts',
      "'session-archive': call",
      "'session-duplicate': call<null>()(z.object({ sessionId })),",
    ),
    'src/main/ipc/session-handlers.ts': withRow(
      'src/main/ipc/session-handlers.ts',
      "'session-archive': ({",
      "'session-duplicate': ({ sessionId }) => record(sessionId, { type: 'session-archived' }),",
    ),
  },
  'a setting': {
    'src/shared/setting-rows.ts': withRow(
      'src/shared/setting-rows.ts',
      'toolsInAsk: {',
      "compactRows: { kind: 'switch', default: true, section: 'appearance' },",
    ),
    'src/renderer/locales/en.json': withRow(
      'src/renderer/locales/en.json',
      '"toolsInAsk": {',
      '"compactRows": { "label": "Compact rows", "hint": "Shows more rows at once." },',
    ),
    'src/renderer/locales/de.json': withRow(
      'src/renderer/locales/de.json',
      '"toolsInAsk": {',
      '"compactRows": { "label": "Enge Zeilen", "hint": "Zeigt mehr Zeilen zugleich." },',
    ),
  },
};
const names = /** @type {(keyof typeof changes)[]} */ (Object.keys(changes));

/** What CONTRIBUTING promises for a kind of change. */
function promiseOf(/** @type {string} */ name) {
  const rows = read('CONTRIBUTING.md').split('\n');
  const cells = rows.map((row) => row.split('|').map((cell) => cell.trim()));
  return cells.find((row) => row[1] === name)?.[2] ?? '';
}

/** Starts the seeds with some rows added. */
function startSeeds(/** @type {Readonly<Record<string, string>>} */ rows) {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'scratch-seeds-'));
  fs.cpSync(path.join(ROOT, 'seeds'), path.join(scratch, 'seeds'), { recursive: true });
  for (const [file, text] of Object.entries(rows)) fs.writeFileSync(path.join(scratch, file), text);
  return composeSeeds(path.join(scratch, 'seeds'), {
    packs: [],
    providers: providerDefinitions,
  });
}

const sources = createScratchSources();
/** @type {readonly string[]} */
let errors = [];

beforeAll(() => {
  const code = Object.values(changes).flatMap((files) =>
    Object.entries(files).filter(([file]) => file.startsWith('src/')),
  );
  errors = sources.check(Object.fromEntries(code));
}, 180_000);

// Each check builds a program of all sources, which takes seconds on an idle machine and minutes on a busy one.
describe('a change that CONTRIBUTING describes as small', { timeout: 180_000 }, () => {
  it.each(names)('[CODE-small-changes] %s touches only the files that its row names', (name) => {
    const promise = promiseOf(name);
    for (const file of Object.keys(changes[name])) {
      const places = [file, `${path.posix.dirname(file)}/`];
      expect(
        places.some((place) => promise.includes(`\`${place}\``)),
        file,
      ).toBe(true);
    }
  });

  it('[CODE-small-changes] needs no other file to compile', () => {
    expect(errors).toEqual([]);
  });

  it.each(/** @type {const} */ (['a recipe', 'a slash command']))(
    '[CODE-small-changes] starts with %s',
    (name) => {
      const started = startSeeds(changes[name]);
      expect(started.ok ? [] : started.error).toEqual([]);
    },
  );

  it('[CODE-small-changes] names the handler of an IPC call that is missing', () => {
    const file = 'src/shared/ipc.ts';
    const found = sources.check({ [file]: changes['an IPC call'][file] }, ['src/main/ipc/handlers.ts']);
    expect(found).toEqual([expect.stringContaining('session-duplicate')]);
  });

  it('[CODE-small-changes] names the implementation of a window command that is missing', () => {
    const file = 'src/shared/window-action-ids.ts';
    const found = sources.check({ [file]: changes['a command of the window'][file] }, [
      'src/renderer/actions/implementations.ts',
    ]);
    expect(found).toEqual([expect.stringContaining('duplicate-session')]);
  });

  it('[CODE-small-changes] names the texts of a setting that are missing', () => {
    const file = 'src/shared/setting-rows.ts';
    const found = sources.check({ [file]: changes['a setting'][file] }, [
      'src/renderer/features/settings/simple-settings.tsx',
    ]);
    expect(found).toEqual([
      expect.stringContaining('settings.rows.compactRows.label'),
      expect.stringContaining('settings.rows.compactRows.hint'),
    ]);
  });

  it('[SET-one-row] stores a new setting and shows it in the window', async () => {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), 'scratch-home-'));
    // The texts read the language of the page and the region of the system.
    vi.stubGlobal('location', { search: '' });
    vi.stubGlobal('navigator', { languages: [] });
    const { module } = await runnerImport('/scratch-setting.tsx', {
      root: ROOT,
      configFile: false,
      plugins: [
        {
          name: 'scratch',
          enforce: 'pre',
          resolveId: (id) => (id === '/scratch-setting.tsx' ? id : undefined),
          load: (id) => {
            if (id === '/scratch-setting.tsx') return trial;
            const file = path.relative(ROOT, id).replaceAll('\\', '/');
            return /** @type {Readonly<Record<string, string>>} */ (changes['a setting'])[file];
          },
        },
      ],
    });
    const { tryOut } = /** @type {{ tryOut: (home: string) => unknown }} */ (module);
    expect(tryOut(home)).toEqual({
      before: true,
      after: false,
      markup: expect.stringMatching(/Compact rows.*Shows more rows at once/s),
    });
  });
});

/** Changes the new setting, opens the settings again, and renders the section that shows it. */
const trial = `
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { createStore } from 'zustand/vanilla';
import { createNodeConf } from '/src/main/adapters/settings/conf.ts';
import { createSettingsStore } from '/src/main/adapters/settings/settings-store.ts';
import { SimpleSettings } from '/src/renderer/features/settings/simple-settings.tsx';
import { AppContext } from '/src/renderer/store/app-context.tsx';

export function tryOut(home) {
  const open = () => createSettingsStore({ home, createConf: createNodeConf, now: () => 0 });
  const first = open();
  const before = first.get().compactRows;
  first.patch({ compactRows: false });
  const settings = open().get();
  const app = { mirror: { store: createStore(() => ({ settings })) }, commands: {} };
  const section = createElement(SimpleSettings, { section: 'appearance' });
  const markup = renderToStaticMarkup(createElement(AppContext, { value: app }, section));
  return { before, after: settings.compactRows, markup };
}
`;
