import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { sourceId, type ResolverItem } from '#shared/resolver';
import type { Action } from '#shared/route';
import { seedContext, templateInFocus } from '../../testing/routing-context';
import { userTitledItems } from '../../testing/user-titled-items';
import { createItemIndex } from './item-index';
import { route } from './route';
import type { RouteContext } from './route-context';

interface Control {
  readonly line: string;
  readonly mode?: string;
  readonly focus?: boolean;
  readonly commandId: string;
  readonly id?: string;
  readonly picker?: string;
  readonly asks?: string;
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../../e2e/corpus', name), 'utf8'));
const ordinary = read('ordinary.json') as { lines: readonly string[]; withoutFocus: readonly string[] };
const control = read('control.json') as { lines: readonly Control[] };
const ownTitles = read('own-titles.json') as {
  titles: Readonly<Record<string, Readonly<Record<string, string>>>>;
  ordinary: readonly string[];
  control: readonly Control[];
};
const windowLines = read('window-lines.json') as {
  lines: readonly { line: string; commandId: string; id?: string }[];
  ordinary: readonly string[];
};
const heldOut = read('held-out.json') as { ordinary: readonly string[]; control: readonly Control[] };

const modes = ['general', 'ddr_authoring', 'workflow_authoring'];
const contextKey = ({ mode = 'general', focus = false }: Partial<Control>): string => `${mode} ${focus}`;
const contexts = new Map(
  modes.flatMap((mode) =>
    [true, false].map((focus) => [
      contextKey({ mode, focus }),
      seedContext({ mode, focus: focus ? templateInFocus : null }),
    ]),
  ),
);

function happened(action: Action): string {
  if (action.type === 'invoke-command') return `${action.commandId} runs on ${action.resolvedId}`;
  if (action.type === 'open-picker') return `${action.commandId} picks from ${sourceId(action.source)}`;
  if (action.type === 'continue-with-llm') return 'the model';
  return `${action.commandId ?? '?'} asks about ${action.resolvedId ?? '?'}`;
}

function wanted({ commandId, id, picker, asks }: Control): string {
  if (id !== undefined) return `${commandId} runs on ${id}`;
  return picker === undefined
    ? `${commandId} asks about ${asks ?? '?'}`
    : `${commandId} picks from ${picker}`;
}

function routed(line: string, place: Partial<Control>): string {
  const context = contexts.get(contextKey(place));
  if (!context) throw new Error(`No context for ${contextKey(place)}.`);
  return happened(route(line, context).action);
}

const taken = (lines: readonly string[], places: readonly Partial<Control>[]): readonly string[] =>
  places.flatMap((place) =>
    lines.flatMap((line) => (routed(line, place) === 'the model' ? [] : [`${line}: ${routed(line, place)}`])),
  );

describe('the corpus', () => {
  const everywhere = modes.flatMap((mode) => [true, false].map((focus) => ({ mode, focus })));

  it('[CPR-7-ordinary] leaves every ordinary line to the model, in any mode, with or without a focus', () => {
    expect(ordinary.lines.length).toBeGreaterThanOrEqual(320);
    expect(taken(ordinary.lines, everywhere)).toEqual([]);
    expect(taken(ordinary.withoutFocus, [{}])).toEqual([]);
  });

  it('[CPR-7-intent] routes every control line to its command, and covers all commands', () => {
    expect(control.lines.length).toBeGreaterThanOrEqual(140);
    const wrong = control.lines.flatMap((row) =>
      routed(row.line, row) === wanted(row) ? [] : [`${row.line}: ${routed(row.line, row)}`],
    );
    expect(wrong).toEqual([]);
    const context = contexts.get(contextKey({}));
    const commands = [...(context?.table.commands.values() ?? [])];
    // A command whose item stands for another command leads there.
    const executable = commands.filter(
      ({ commandKind, resolverSource }) =>
        commandKind === 'executable' && !context?.indexOf(resolverSource)?.first(1)[0]?.runs,
    );
    const covered = new Set([...control.lines, ...windowLines.lines].map(({ commandId }) => commandId));
    expect(executable.filter(({ commandId }) => !covered.has(commandId))).toEqual([]);
  });

  it('[ACT-lines] a line that asks for a window action, the theme, the tools or a model reaches it', () => {
    expect(windowLines.lines.length).toBeGreaterThanOrEqual(120);
    const wrong = windowLines.lines.flatMap(({ line, commandId, id }) =>
      modes.flatMap((mode) => {
        const context = contexts.get(contextKey({ mode }));
        const action = context && route(line, context).action;
        const led = action && 'commandId' in action && action.commandId === commandId;
        const chosen = id === undefined || (action && 'resolvedId' in action && action.resolvedId === id);
        return led && chosen ? [] : [`${mode}: ${line}: ${action ? happened(action) : 'no context'}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('[ACT-lines-ordinary] talk that resembles such a line reaches the model, in every mode', () => {
    expect(windowLines.ordinary.length).toBeGreaterThanOrEqual(120);
    expect(taken(windowLines.ordinary, everywhere)).toEqual([]);
  });

  it('[ACT-lines-subject] without an answer, work or session to act on, the line reaches the model', () => {
    const context = seedContext();
    const empty = createItemIndex([], {
      id: 'none',
      displayName: 'None',
      nouns: { one: ['none'], many: ['none'] },
      vocabulary: 'curated',
    });
    const without: RouteContext = { ...context, indexOf: () => empty };
    for (const line of ['retry', 'stop', 'copy the last answer', 'archive this chat', 'undo that'])
      expect(happened(route(line, without).action), line).toBe('the model');
    for (const line of ['/retry', '/undo', 'undo'])
      expect(route(line, without).action, line).toMatchObject({
        type: 'ask-clarifying-question',
        options: ['Leave it'],
      });
  });

  it('[ACT-lines-text] a slash that takes no text asks whether to run without it, and opens no empty list', () => {
    const named = (line: string) => route(line, seedContext()).action;
    for (const line of ['/new 😀', '/new my topic', '/settings models', '/stop now', '/compact all'])
      expect(named(line), line).toMatchObject({
        type: 'ask-clarifying-question',
        options: ['Yes', 'No'],
        resolvedId: expect.anything() as unknown,
      });
    expect(named('/rename 😀')).toMatchObject({ type: 'invoke-command', resolvedId: '😀' });
    expect(named('/search x')).toMatchObject({ type: 'invoke-command', resolvedId: 'x' });
  });

  describe('the corpus with names that users gave', () => {
    let own: Readonly<Record<string, readonly ResolverItem[]>> = {};
    let places: readonly RouteContext[] = [];
    beforeAll(async () => {
      own = await userTitledItems(ownTitles.titles);
      places = modes.flatMap((mode) => [true, false].map((ui) => seedContext({ mode, ui, own })));
    });

    it('[CPR-7-user-titles] every source lists them, and says that a user named them', () => {
      const listed = Object.entries(own).map(([source, items]) => [
        source,
        Object.fromEntries(items.map(({ header }) => [header.id, header.displayName])),
      ]);
      const { models, ...named } = ownTitles.titles;
      expect(Object.fromEntries(listed)).toMatchObject(named);
      expect(own['models']?.map(({ header }) => header.id)).toEqual(Object.keys(models ?? {}));
      for (const [source, items] of Object.entries(own))
        expect([source, items.map(({ userTitled }) => userTitled)]).toEqual([source, items.map(() => true)]);
    });

    it('[CPR-7-user-titles] every ordinary line reaches the model', () => {
      expect(ownTitles.ordinary.length).toBeGreaterThanOrEqual(40);
      const lost = places.flatMap((place) =>
        [...ordinary.lines, ...heldOut.ordinary, ...ownTitles.ordinary].flatMap((line) => {
          const what = happened(route(line, place).action);
          return what === 'the model' ? [] : [`${line}: ${what}`];
        }),
      );
      expect(lost).toEqual([]);
    });

    it('[CPR-7-user-titles] the id, or the name with its kind, runs the command', () => {
      const context = seedContext({ own });
      const wrong = ownTitles.control.flatMap((row) => {
        const what = happened(route(row.line, context).action);
        return what === wanted(row) ? [] : [`${row.line}: ${what}`];
      });
      expect(wrong).toEqual([]);
    });
  });

  it('[CPR-7-ordinary] the router also passes on lines that were never used for tuning', () => {
    expect(taken(heldOut.ordinary, everywhere)).toEqual([]);
    const right = heldOut.control.filter((row) => routed(row.line, row) === wanted(row)).length;
    expect(right / heldOut.control.length).toBeGreaterThanOrEqual(0.8);
  });
});
