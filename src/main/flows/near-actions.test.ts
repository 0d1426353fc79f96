import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNearActions } from '../../core/control-plane/near-actions';
import type { SentenceEncoder } from '../../core/ports/sentence-encoder';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';

const read = (name: string): unknown =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../../e2e/corpus', name), 'utf8'));
const paraphrases = read('paraphrases.json') as {
  actions: readonly { line: string; ids: readonly string[] }[];
  /** A second group, with which the compared texts were chosen; most mean a command or a rare action. */
  development: readonly { line: string; ids: readonly string[] }[];
  /** A third group, written before actions had descriptions. */
  heldOut: readonly { line: string; ids: readonly string[] }[];
  /** A fourth group, written from the names of the actions alone, before it was compared with anything. */
  fresh: readonly { line: string; ids: readonly string[] }[];
  history: readonly { query: string; session: string }[];
};

let main: MainHarness;
beforeAll(async () => {
  main = await startMain();
}, 60_000);
afterAll(() => main.close());

/** What the app compares lines with. */
function rowsOf({ app }: MainHarness) {
  const { plane, models } = app;
  const commands = plane.view(null).commands.flatMap(({ commandId }) => plane.command(commandId) ?? []);
  return { actions: app.info().actions, commands, nouns: plane.nouns, models };
}

const foundIn = (near: readonly string[], ids: readonly string[]): boolean =>
  near.slice(0, 3).some((id) => ids.includes(id));

describe('the nearest actions', () => {
  it.each([
    ['actions', 22, 30, 1],
    ['development', 22, 30, 0],
    ['heldOut', 12, 20, 0],
    ['fresh', 18, 30, 0],
  ] as const)(
    '[MEAN-measured] paraphrases find theirs in the first three: %s',
    async (group, least, all, gain) => {
      const none: SentenceEncoder = { available: () => false, compare: () => Promise.resolve(null) };
      const { rank } = createNearActions({ ...rowsOf(main), recipes: main.app.recipes, encoder: none });
      let [byWords, byMeaning] = [0, 0];
      for (const { line, ids } of paraphrases[group]) {
        if (foundIn(rank(line, null), ids)) byWords += 1;
        if (foundIn((await main.app.nearActions(line)) ?? [], ids)) byMeaning += 1;
      }
      process.stdout.write(
        `${group}, of ${paraphrases[group].length} paraphrases: ${byWords} by words, ${byMeaning} by meaning\n`,
      );
      expect(paraphrases[group]).toHaveLength(all);
      expect(byMeaning).toBeGreaterThanOrEqual(byWords + gain);
      expect(byMeaning).toBeGreaterThanOrEqual(least);
    },
    240_000,
  );

  it('[MEAN-suggest] a line that means a recipe leads to the list of recipes, also to one saved since', async () => {
    const recipes: { title: string; description?: string | undefined }[] = [...main.app.recipes()];
    const near = createNearActions({
      ...rowsOf(main),
      recipes: () => recipes,
      encoder: {
        available: () => true,
        compare: async ({ query, texts }) => texts.map((text) => (text === query ? 1 : 0)),
      },
    });
    const saved = { title: 'Water the plants', description: 'Waters them.' };
    const [first] = (await near.near(saved.title)) ?? [];
    expect(first).not.toBe('RunRecipe');
    recipes.push(saved);
    expect((await near.near(saved.title))?.[0]).toBe('RunRecipe');
  });

  it('[MEAN-history] more paraphrases find their session in the first three than by words alone', async () => {
    const { log, sessionSearch } = main.app;
    const wanted = new Map<string, string>();
    for (const { session } of paraphrases.history) {
      const { id } = must(log.create(null));
      const model = { providerId: 'offline', model: 'offline' };
      must(log.append(id, [{ type: 'message-sent', turn: 0, text: session, runMode: 'ask', model }]));
      wanted.set(session, id);
    }
    let [byWords, withEncoder] = [0, 0];
    for (const { query, session } of paraphrases.history) {
      const words = must(await sessionSearch.search(query));
      // As the window does: similar sessions where nothing has the words.
      const found = words.length > 0 ? words : must(await sessionSearch.similar(query));
      const among = (hits: typeof words) =>
        hits.slice(0, 3).some(({ sessionId }) => sessionId === wanted.get(session));
      if (among(words)) byWords += 1;
      if (among(found)) withEncoder += 1;
    }
    process.stdout.write(
      `of ${paraphrases.history.length} searches: ${byWords} by words, ${withEncoder} with the encoder\n`,
    );
    expect(paraphrases.history).toHaveLength(30);
    expect(byWords).toBeLessThan(10);
    expect(withEncoder).toBeGreaterThanOrEqual(20);
  }, 120_000);

  it('[MEAN-router] the router decides the same with the encoder and without it', async () => {
    const ordinary = read('ordinary.json') as { lines: readonly string[] };
    const control = read('control.json') as { lines: readonly { line: string }[] };
    const window = read('window-lines.json') as { lines: readonly { line: string }[] };
    const lines = [
      ...ordinary.lines,
      ...[...control.lines, ...window.lines, ...paraphrases.actions].map(({ line }) => line),
    ];
    const decisions = async (): Promise<string> => {
      const routed: unknown[] = [];
      for (const line of lines) routed.push(await main.app.lines.preview(line, { state: null, ui: true }));
      return JSON.stringify(routed);
    };
    // The first pass loads the lists that lines can name.
    await decisions();
    must(main.app.settings.patch({ searchByMeaning: true }));
    expect(await main.app.nearActions('make the background black')).not.toHaveLength(0);
    const withEncoder = await decisions();
    must(main.app.settings.patch({ searchByMeaning: false }));
    expect(await main.app.nearActions('make the background black')).toBeNull();
    // The window asks for this once: what it offers then depends on the setting alone.
    expect(main.app.info().sentenceEncoder).toBe(true);
    expect(await decisions()).toBe(withEncoder);
  }, 120_000);
});
