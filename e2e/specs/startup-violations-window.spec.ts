import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type ElectronApplication, type Page } from '@playwright/test';
import { driveArguments } from '../../scripts/lib/drive-electron.mjs';
import { rootFlags } from '../../scripts/lib/launch-electron.mjs';
import type { Bridge } from '../../src/shared/ipc';
import { copyApp, type BrokenRule } from '../fixtures/broken-place';
import { brokenStarts } from '../fixtures/broken-starts';
import { scriptedKey, test } from '../fixtures/scripted';
import { composer } from '../fixtures/window';

async function launch(root: string, home: string, baseUrl: string): Promise<ElectronApplication> {
  const env = Object.fromEntries(
    Object.entries({
      ...process.env,
      PATINA_HOME: home,
      PATINA_DISCOVERY: 'off',
      OPENAI_BASE_URL: baseUrl,
      OPENAI_API_KEY: scriptedKey,
      PATINA_MODEL: 'scripted',
    }).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])),
  );
  return driveArguments({ args: [...rootFlags(), root], env });
}

/** Every line the window shows: `file | field · rule`. */
function linesOf(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('section[aria-label]')].flatMap((card) =>
      [...card.querySelectorAll('li')].map(
        (line) => `${card.getAttribute('aria-label')} | ${line.querySelector('p:last-child')?.textContent}`,
      ),
    ),
  );
}

for (const { name, prepare, rules } of brokenStarts) {
  test(`[START-every-line] [AGN14-7-6-nothing-runs] in the window: ${name}`, async ({ home, startModel }) => {
    const root = join(home, 'app');
    const seeds = copyApp(root);
    const packs = join(home, 'packs');
    mkdirSync(packs);
    prepare({ seeds, packs });
    const model = await startModel({ replies: [{ text: 'never asked' }] });
    const app = await launch(root, home, model.baseUrl);
    const page = await app.firstWindow();
    await expect(page.getByRole('heading', { name: 'Patina did not start' })).toBeVisible();
    const wanted = ([file, field, rule]: BrokenRule) => {
      const folder = /^(p\d+|torn|again|other)\//.test(file) ? packs : seeds;
      return `${join(folder, file)} | ${[field, rule].filter(Boolean).join(' · ')}`;
    };
    expect((await linesOf(page)).sort()).toEqual(expect.arrayContaining(rules.map(wanted).sort()));
    await expect(composer(page)).toBeHidden();
    const refused = await page.evaluate(() =>
      (window as unknown as { patina: Bridge }).patina.invoke('session-create', {}),
    );
    expect(refused).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'STATE' } });
    expect(existsSync(join(home, 'sessions.db'))).toBe(false);
    expect(model.requests).toEqual([]);
    await app.close();
  });
}
