import { describe, expect, it } from 'vitest';
import { CommandDefinition } from '#shared/command';
import type { SourceDefinition } from '#shared/resolver';
import type { Action } from '#shared/route';
import { item, seedContext, templateInFocus } from '../../testing/routing-context';
import { createItemIndex } from './item-index';
import type { RouteContext } from './route-context';
import { route } from './route';
import { compileRoutingTable } from './routing-table';

const tickets: SourceDefinition = {
  id: 'tickets',
  displayName: 'Tickets',
  nouns: { one: ['ticket'], many: ['tickets'] },
  vocabulary: 'open',
};

const row = (fields: Record<string, unknown>): CommandDefinition =>
  CommandDefinition.parse({
    displayName: String(fields['commandId']),
    toolName: 'any_tool',
    singleParameterName: 'id',
    resolverSource: { catalogId: 'tickets' },
    ...fields,
  });

function contextOf(commands: readonly CommandDefinition[], more: Partial<RouteContext> = {}): RouteContext {
  const table = compileRoutingTable(commands, new Map([['tickets', tickets]]));
  const index = createItemIndex([item('TCK-7', 'Login fails'), item('plain', 'Dark theme')], tickets);
  return { ...seedContext(), table, indexOf: () => index, ...more };
}

const actionOf = (line: string, context: RouteContext): Action => route(line, context).action;

describe('rows', () => {
  it('[CPR-7-resolve] do not match a name that two items share exactly', () => {
    const twins = createItemIndex([item('a1', 'Twin'), item('a2', 'twin')], tickets);
    const commands = [row({ commandId: 'Take', intentPatterns: ['take {noun} {item}'] })];
    const context = contextOf(commands, { indexOf: () => twins });
    expect(actionOf('take ticket twin', context)).toMatchObject({
      type: 'open-picker',
      prefilterText: 'twin',
    });
  });

  it('[CPR-11-rows] alone add a capability, without code for its source', () => {
    const commands = [
      row({ commandId: 'TakeTicket', intentPatterns: ['take [the] {noun} {item}'], slash: 'ticket' }),
      row({
        commandId: 'OpenTickets',
        commandKind: 'launcher',
        intentPatterns: ['{show} [{every}] {nouns}'],
      }),
    ];
    const context = contextOf(commands);
    expect(actionOf('please take ticket TCK-7', context)).toMatchObject({
      commandId: 'TakeTicket',
      resolvedId: 'TCK-7',
    });
    expect(actionOf('/ticket login', context)).toMatchObject({ type: 'open-picker', highlightId: 'TCK-7' });
    expect(actionOf('show all tickets', context)).toMatchObject({
      type: 'open-picker',
      commandId: 'TakeTicket',
    });
  });

  it('with an open vocabulary match a bare phrase only to ids with a digit', () => {
    const context = contextOf([row({ commandId: 'Take', intentPatterns: ['take {item}'] })]);
    expect(actionOf('take TCK-7', context).type).toBe('invoke-command');
    expect(actionOf('take plain', context).type).toBe('continue-with-llm');
    expect(actionOf('take Dark theme', context).type).toBe('continue-with-llm');
  });

  it('[CPR-7-resolve] do not match words that refer to something else, unless they are the exact name', () => {
    const curated = { ...tickets, vocabulary: 'curated' as const };
    const items = [item('TCK-1', 'New customers'), item('TCK-2', 'First steps for all')];
    const index = createItemIndex(items, curated);
    const table = compileRoutingTable(
      [row({ commandId: 'Take', intentPatterns: ['take [the|a] {item} {noun}'] })],
      new Map([['tickets', curated]]),
    );
    const context: RouteContext = { ...seedContext(), table, indexOf: () => index };
    for (const line of [
      'take a new ticket',
      'take the first ticket',
      'take all ticket',
      'take for all ticket',
    ])
      expect(actionOf(line, context), line).toMatchObject({ reasonCode: 'unresolved' });
    expect(actionOf('take the new customers ticket', context)).toMatchObject({ resolvedId: 'TCK-1' });
    expect(actionOf('take the customers ticket', context)).toMatchObject({ highlightId: 'TCK-1' });
  });

  it('[CPR-7-user-titles] with any declared scope do not match a user’s name without its kind', () => {
    const curated = { ...tickets, vocabulary: 'curated' as const };
    const named = [item('TCK-7', 'Login fails'), item('build', 'The build'), item('phase_2', 'Phase 2')];
    const index = createItemIndex(
      named.map((one) => ({ ...one, userTitled: true })),
      curated,
    );
    for (const scope of ['id', 'phrase', 'name', 'any']) {
      const command = row({ commandId: 'Take', intentPatterns: [`take [the] {item:${scope}}`] });
      const table = compileRoutingTable([command], new Map([['tickets', curated]]));
      const context: RouteContext = { ...seedContext(), table, indexOf: () => index };
      for (const line of [
        'take login fails',
        'take the build',
        'take "the build"',
        'take phase 2',
        'take buidl',
      ])
        expect(actionOf(line, context), `${scope}: ${line}`).toMatchObject({ type: 'continue-with-llm' });
      for (const line of ['take TCK-7', 'take tck-7', 'take phase_2'])
        expect(actionOf(line, context), `${scope}: ${line}`).toMatchObject({ type: 'invoke-command' });
    }
  });

  it('[CPR-7-mistyped-kind] do not match a typing error in the kind of another thing', () => {
    const context = seedContext({ own: { ddrs: [item('AGN-014', 'Agent mode catalog', ['mode list'])] } });
    for (const line of ['switch to DDR mdoe', 'switch to DDR mod', 'switch to the DDR moed'])
      expect(actionOf(line, context), line).toMatchObject({ type: 'continue-with-llm' });
    expect(actionOf('switch to the mode catlog DDR', context)).toMatchObject({ commandId: 'SetActiveDdr' });
  });

  it('[CPR-7-reordered] do not match a line that is displayed in another order than it is read', () => {
    const context = seedContext();
    for (const mark of ['\u202e', '\u202a', '\u2066', '\u2068']) {
      expect(actionOf(`${mark}switch to DDR mode`, context), mark).toMatchObject({ reasonCode: 'no-match' });
      expect(actionOf(`/mode ${mark}ddr`, context), mark).toMatchObject({ reasonCode: 'no-match' });
    }
  });

  it('[CPR-8-one-question] of two commands with an ambiguous item offer two items each', () => {
    const twins = createItemIndex([item('a1', 'Twin'), item('a2', 'twin'), item('a3', 'TWIN')], tickets);
    const both = ['A', 'B'].map((commandId) =>
      row({
        commandId,
        resolverSource: { catalogId: commandId.toLowerCase() },
        intentPatterns: ['grab {item:any}'],
      }),
    );
    expect(actionOf('grab twin', contextOf(both, { indexOf: () => twins }))).toMatchObject({
      type: 'ask-clarifying-question',
      choices: [
        { commandId: 'A', resolvedId: 'a1' },
        { commandId: 'A', resolvedId: 'a2' },
        { commandId: 'B', resolvedId: 'a1' },
        { commandId: 'B', resolvedId: 'a2' },
      ],
    });
  });

  it('of two commands that fit equally are one question', () => {
    const both = ['A', 'B'].map((commandId) =>
      row({
        commandId,
        resolverSource: { catalogId: commandId.toLowerCase() },
        intentPatterns: ['grab {item:any}'],
      }),
    );
    expect(actionOf('grab TCK-7', contextOf(both))).toEqual({
      type: 'ask-clarifying-question',
      questionText: 'Which one?',
      options: ['A: Login fails', 'B: Login fails'],
      choices: [
        { label: 'A: Login fails', commandId: 'A', resolvedId: 'TCK-7' },
        { label: 'B: Login fails', commandId: 'B', resolvedId: 'TCK-7' },
      ],
    });
  });

  it('[AGN37-6-launcher-mode] with a launcher of another mode ask to switch first', () => {
    const launcher = row({
      commandId: 'OpenTickets',
      commandKind: 'launcher',
      targetModeId: 'ddr_authoring',
      intentPatterns: ['open tickets'],
    });
    const setMode = row({
      commandId: 'SetMode',
      setsSessionMode: true,
      resolverSource: { catalogId: 'modes' },
    });
    const { indexOf } = seedContext();
    const context = contextOf([launcher, setMode], { indexOf });
    expect(actionOf('open tickets', context)).toMatchObject({
      type: 'ask-clarifying-question',
      questionText: expect.stringContaining('DDR Authoring') as string,
      commandId: 'SetMode',
      resolvedId: 'ddr_authoring',
    });
    expect(actionOf('open tickets', { ...context, mode: 'ddr_authoring' }).type).toBe('open-picker');
  });

  it('[CPR-10-no-schema] match regardless of the command’s tool, parameter and constants', () => {
    const context = seedContext({ focus: templateInFocus });
    const changed = [...context.table.commands.values()].map((command) => ({
      ...command,
      toolName: 'other_tool',
      singleParameterName: 'other',
      constants: { deep: [1] },
    }));
    const other = { ...context, table: compileRoutingTable(changed, context.table.sources) };
    for (const line of [
      'switch to DDR mode',
      'use the CFO persona',
      'send this to the Q1 pilot list',
      'hello',
    ]) {
      expect(actionOf(line, other)).toEqual(actionOf(line, context));
    }
  });

  it('[CPR-5-eligible] of inactive commands and catalogs do not exist', () => {
    expect(actionOf('switch to agent mode', contextOf([])).type).toBe('continue-with-llm');
    const authoring = seedContext({ mode: 'ddr_authoring' });
    expect(actionOf('show the email templates', authoring).type).toBe('continue-with-llm');
    expect(actionOf('/template TPL-123', authoring)).not.toMatchObject({
      commandId: 'SetActiveEmailTemplate',
    });
  });
});

describe('a slash line', () => {
  it('is explicit: it opens the picker when nothing resolves', () => {
    expect(actionOf('/mode collapse in GANs', seedContext())).toMatchObject({
      type: 'open-picker',
      commandId: 'SetMode',
      prefilterText: 'collapse in GANs',
    });
    expect(actionOf('/mode', seedContext())).not.toHaveProperty('prefilterText');
  });

  it('accepts an id of any length, even when another differs only in case', () => {
    const path = `src/${'deep/'.repeat(200)}README.md`;
    const files = createItemIndex([item(path, path), item(path.toLowerCase(), path.toLowerCase())], tickets);
    const context = contextOf([row({ commandId: 'Take', slash: 'take' })], { indexOf: () => files });
    expect(actionOf(`/take ${path}`, context)).toMatchObject({ type: 'invoke-command', resolvedId: path });
    expect(actionOf(`/take ${path.toUpperCase()}`, context).type).toBe('open-picker');
  });

  it('does not run an item just because the list has only one', () => {
    const one = createItemIndex([item('only', 'Only one')], tickets);
    const commands = [row({ commandId: 'Take', slash: 'take', intentPatterns: ['take {noun} {item}'] })];
    expect(actionOf('/take', contextOf(commands, { indexOf: () => one })).type).toBe('open-picker');
  });
});
