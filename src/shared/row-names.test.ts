import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { providerDefinitions } from '../core/sources/provider-definitions';
import type { CommandRow } from './control-plane';
import { translateActions, translateCommand } from './row-names';
import { germanRowNames } from './row-names-de';
import { WindowAction } from './window-action';

const rowsIn = (folder: string): readonly Record<string, unknown>[] =>
  readdirSync(join('seeds', folder))
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join('seeds', folder, name), 'utf8')) as Record<string, unknown>);
const fieldOf = (folder: string, field: string) => rowsIn(folder).map((row) => String(row[field]));

describe('[I18N-rows] the German names of built-in rows', () => {
  it('cover every action, command, list and mode, and nothing else', () => {
    const lists = [...fieldOf('catalogs', 'catalogId'), ...providerDefinitions.map(({ id }) => id)];
    expect(Object.keys(germanRowNames.actions).toSorted()).toEqual(fieldOf('actions', 'actionId').toSorted());
    expect(Object.keys(germanRowNames.commands).toSorted()).toEqual(
      fieldOf('commands', 'commandId').toSorted(),
    );
    expect(Object.keys(germanRowNames.sources).toSorted()).toEqual(lists.toSorted());
    expect(Object.keys(germanRowNames.modes).toSorted()).toEqual(fieldOf('modes', 'key').toSorted());
  });

  it('describe a command if the row does', () => {
    const described = rowsIn('commands').filter(({ description }) => description !== undefined);
    expect(
      described.filter(({ commandId }) => germanRowNames.commands[String(commandId)]?.[1] === undefined),
    ).toEqual([]);
  });

  it('replace only what the user sees', () => {
    const [action] = translateActions(
      [WindowAction.parse({ actionId: 'find', displayName: 'Find in this session', group: 'Session' })],
      germanRowNames,
    );
    expect(action).toMatchObject({ actionId: 'find', displayName: 'In dieser Sitzung suchen' });
    const command = { commandId: 'OfAPack', displayName: 'Own' } as CommandRow;
    expect(translateCommand(command, germanRowNames)).toEqual(command);
    expect(translateCommand({ ...command, actionId: 'find' }, germanRowNames).displayName).toBe(
      'In dieser Sitzung suchen',
    );
  });
});
