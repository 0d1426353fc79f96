import type { ConfigProblem } from '#shared/app-error';
import { slashNames, type CommandDefinition, type ToolboxDefinition } from '#shared/command';
import type { AgentMode } from '#shared/mode';
import { sourceId, type CatalogFile, type SourceDefinition } from '#shared/resolver';
import type { WindowAction } from '#shared/window-action';
import type { SeedRow } from '../ports/seed-layer';
import { checkActions } from './check-actions';
import { filledByCode, sourceDefinitions } from './catalog-definition';
import { checkActivation, checkAllPatterns } from './check-activation';
import { checkCommand } from './check-command';

/** Definitions that rows may refer to besides other rows. */
export interface ValidationContext {
  /** Sources built by code. */
  readonly providers: readonly SourceDefinition[];
}

export interface RowsToCheck {
  readonly modes: readonly AgentMode[];
  readonly toolboxes: readonly SeedRow<ToolboxDefinition>[];
  readonly commands: readonly SeedRow<CommandDefinition>[];
  readonly catalogs: readonly SeedRow<CatalogFile>[];
  readonly actions: readonly SeedRow<WindowAction>[];
}

const sourcesOf = ({ catalogs }: RowsToCheck, { providers }: ValidationContext) =>
  sourceDefinitions(
    catalogs.map(({ row }) => row),
    providers,
  );

/** Returns the first owner of a name, or claims the name for `who`. */
function earlier(taken: Map<string, string>, name: string, who: string): string | undefined {
  const holder = taken.get(name);
  if (holder === undefined) taken.set(name, who);
  return holder;
}

function checkItems({ file, row }: SeedRow<CatalogFile>): readonly ConfigProblem[] {
  if (row.items === undefined && !filledByCode.includes(row.catalogId)) {
    const reason = 'A catalog lists its items; this one has none.';
    return [{ file, field: 'items', rule: 'catalog-filled', reason }];
  }
  const seen = new Map<string, string>();
  return (row.items ?? []).flatMap(({ header }, index) => {
    if (earlier(seen, header.id, header.id) === undefined) return [];
    const reason = `The item "${header.id}" is in the catalog twice.`;
    return [{ file, field: `items.${index}.header.id`, rule: 'item-unique', reason }];
  });
}

function checkCatalogs(
  { catalogs }: RowsToCheck,
  { providers }: ValidationContext,
): readonly ConfigProblem[] {
  const code = new Set(providers.map(({ id }) => id));
  return catalogs.flatMap((catalog) => {
    const { file, row } = catalog;
    if (!code.has(row.catalogId)) return checkItems(catalog);
    const reason = `"${row.catalogId}" is the name of a built-in source.`;
    return [{ file, field: 'catalogId', rule: 'source-unique', reason }];
  });
}

function checkToolboxes(rows: RowsToCheck): readonly ConfigProblem[] {
  const catalogs = new Set(rows.catalogs.map(({ row }) => row.catalogId));
  const commands = new Set(rows.commands.map(({ row }) => row.commandId));
  const modes = new Set(rows.modes.map(({ key }) => key));
  return rows.toolboxes.flatMap(({ file, row }) => {
    const unknown = (
      field: 'catalogIds' | 'commandIds' | 'activeIn',
      known: ReadonlySet<string>,
      rule: string,
    ) =>
      row[field].flatMap((id, index) =>
        known.has(id)
          ? []
          : [
              {
                file,
                field: `${field}.${index}`,
                rule,
                reason: `There is no ${rule.replace('-known', '')} "${id}".`,
              },
            ],
      );
    return [
      ...unknown('catalogIds', catalogs, 'catalog-known'),
      ...unknown('commandIds', commands, 'command-known'),
      ...unknown('activeIn', modes, 'mode-known'),
    ];
  });
}

function checkSlashes({ commands }: RowsToCheck): readonly ConfigProblem[] {
  const first = new Map<string, string>();
  return commands.flatMap(({ file, row }) => {
    return slashNames(row).flatMap((slash) => {
      const other = earlier(first, slash, row.commandId);
      if (other === undefined) return [];
      return [
        { file, field: 'slash', rule: 'slash-unique', reason: `/${slash} already belongs to ${other}.` },
      ];
    });
  });
}

/**
 * Checks commands, toolboxes, catalogs and actions as a whole by named rules (AGN-000037 §5, §6, §11):
 * unknown ids, undeclared effects, launchers with an inactive target, and duplicate names. `checkPatterns`
 * checks patterns separately; `checkUnique` checks for duplicate ids beforehand. Pure; each problem names the
 * file of the row at fault.
 */
export function checkRows(rows: RowsToCheck, context: ValidationContext): readonly ConfigProblem[] {
  const sources = sourcesOf(rows, context);
  const catalogs = new Set(rows.catalogs.map(({ row }) => row.catalogId));
  const exists = (source: CommandDefinition['resolverSource']): boolean =>
    sources.has(sourceId(source)) && 'catalogId' in source === catalogs.has(sourceId(source));
  const references = { exists, modes: new Set(rows.modes.map(({ key }) => key)) };
  const single = [
    ...checkCatalogs(rows, context),
    ...rows.commands.flatMap((command) => checkCommand(command, references)),
    ...checkToolboxes(rows),
    ...checkSlashes(rows),
    ...checkActions(rows.actions, rows.commands),
  ];
  // Activation can be checked only when every reference resolves.
  return single.length > 0 ? single : checkActivation(rows);
}

/** Checks the patterns of rows that are otherwise valid. */
export function checkPatterns(rows: RowsToCheck, context: ValidationContext): readonly ConfigProblem[] {
  return checkAllPatterns(rows, sourcesOf(rows, context));
}

/** Reports rows of one kind that share an id; the later row is at fault. */
export function checkUnique<T>(
  rows: readonly SeedRow<T>[],
  field: string,
  idOf: (row: T) => string,
): readonly ConfigProblem[] {
  const first = new Map<string, string>();
  return rows.flatMap(({ file, row }) => {
    const id = idOf(row);
    const other = earlier(first, id, file);
    if (other === undefined) return [];
    return [{ file, field, rule: 'id-unique', reason: `"${id}" is already in ${other}.` }];
  });
}
