import type { ConfigProblem } from '#shared/app-error';
import { deepFreeze } from '#shared/deep-freeze';
import { err, ok, type Result } from '#shared/result';
import { checkCatalog, checkDescriptor } from './check-catalog';
import { checkPack, type Checking } from './check-pack';
import { expandContext } from './context-groups';
import { parseFile, problem, type Problems } from './parse-file';
import type { ToolCatalog, WorkspaceContent } from './workspace-content';
import { indexFile, legacyFolder, workspaceLimits } from './workspace-limits';
import { LegacyDescriptor, WorkspaceIndex } from './workspace-schemas';

type Files = ReadonlyMap<string, Uint8Array>;

/** The id of the only catalog in a workspace without an index. */
export const legacyCatalog = 'legacy';

const legacyNote = problem(
  indexFile,
  '',
  'legacy',
  `There is no ${indexFile}, so the tools were read from the files in ${legacyFolder}/. Add an index: a later version will not read the folder this way.`,
);

function checkLegacy(files: Files): Result<WorkspaceContent, Problems> {
  const checking: Checking = { files, index: emptyIndex, problems: [] };
  const owners = new Map<string, string>();
  const descriptors = [...files].flatMap(([file, bytes]) => {
    const read = checkDescriptor(checking, file, bytes, LegacyDescriptor);
    for (const { name } of read) {
      const other = owners.get(name);
      if (other !== undefined) {
        const reason = `"${name}" is also described by ${other}.`;
        checking.problems.push(problem(file, 'name', 'duplicate-id', reason));
      }
      owners.set(name, file);
    }
    return read;
  });
  if (checking.problems.length > 0) return err(checking.problems);
  const catalog: ToolCatalog = {
    id: legacyCatalog,
    file: legacyFolder,
    tools: descriptors.map(({ name }) => name),
    descriptors,
  };
  return ok({
    legacy: true,
    packs: new Map(),
    catalogs: new Map([[legacyCatalog, catalog]]),
    defaults: { promptPack: null, toolCatalog: legacyCatalog },
    warnings: [legacyNote],
  });
}

const emptyIndex: WorkspaceIndex = {
  schema: 'agent.workspace',
  version: 1,
  promptPacks: {},
  toolCatalogs: {},
  defaults: { promptPack: '-', toolCatalog: '-' },
};

function checkDefaults({ index }: Checking): readonly ConfigProblem[] {
  const { promptPack, toolCatalog } = index.defaults;
  const missing = (field: string, what: string, id: string) =>
    problem(indexFile, `defaults.${field}`, 'reference', `There is no ${what} "${id}".`);
  return [
    ...(Object.hasOwn(index.promptPacks, promptPack)
      ? []
      : [missing('promptPack', 'prompt pack', promptPack)]),
    ...(Object.hasOwn(index.toolCatalogs, toolCatalog)
      ? []
      : [missing('toolCatalog', 'tool catalog', toolCatalog)]),
  ];
}

function checkGroups({ index }: Checking): readonly ConfigProblem[] {
  return Object.keys(index.contextGroups ?? {}).flatMap((id) => {
    const expanded = expandContext(index, [`group:${id}`]);
    if (expanded.ok) return [];
    return [problem(indexFile, `contextGroups.${id}`, 'context', `Here ${expanded.error}.`)];
  });
}

function entriesOf<T>(ids: Readonly<Record<string, string>>, check: (id: string, file: string) => T | null) {
  return new Map(
    Object.entries(ids).flatMap(([id, file]) => {
      const found = check(id, file);
      return found ? [[id, found] as const] : [];
    }),
  );
}

/** Removes duplicate problems: a template that two packs name is checked for each, but needs only one fix. */
function eachOnce(problems: Problems): Problems {
  return [...new Map(problems.map((each) => [JSON.stringify(each), each])).values()];
}

function checkIndexed(files: Files, bytes: Uint8Array): Result<WorkspaceContent, Problems> {
  if (bytes.length > workspaceLimits.indexBytes) {
    const reason = `The index is larger than ${workspaceLimits.indexBytes / 1_024} kB.`;
    return err([problem(indexFile, '', 'size', reason)]);
  }
  const index = parseFile(indexFile, bytes, WorkspaceIndex);
  if (!index.ok) return index;
  const checking: Checking = { files, index: index.value, problems: [] };
  checking.problems.push(...checkDefaults(checking), ...checkGroups(checking));
  const packs = entriesOf(index.value.promptPacks, (id, file) => checkPack(checking, id, file));
  const catalogs = entriesOf(index.value.toolCatalogs, (id, file) => checkCatalog(checking, id, file));
  if (checking.problems.length > 0) return err(eachOnce(checking.problems));
  return ok({ legacy: false, packs, catalogs, defaults: index.value.defaults, warnings: [] });
}

/**
 * Parses a snapshot's files, or returns all their problems, each with file and field (P3 §6).
 * Pure and deterministic: the same files give the same result.
 */
export function checkSnapshot(files: Files): Result<WorkspaceContent, Problems> {
  const index = files.get(indexFile);
  const checked = index ? checkIndexed(files, index) : checkLegacy(files);
  return checked.ok ? ok(deepFreeze(checked.value)) : checked;
}
