import { rmSync } from 'node:fs';
import path from 'node:path';
import { appError, type AppError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { WorkflowId, type WorkflowRow } from '#shared/workflow';
import type { WorkflowHistoryRow, WorkflowStore } from '../../../core/ports/workflow-store';
import { ownFolder } from '../ddrs/safe-files';
import { codeOf, writeHint } from '../system/file-error';
import { writeFileAtomic } from '../system/atomic-file';
import { withLock, type LockDeps } from '../system/write-lock';
import { watchFolders } from './watch-folders';
import { createWorkflowReader, type WorkflowReader } from './read-workflows';
import type { DraftFile, HistoryFile } from './workflow-files';

export interface WorkflowFolderDeps extends LockDeps {
  /** `PATINA_HOME/workflows`; created by the first write. */
  readonly folder: string;
  /** The workflows of Patina and of packs: read-only, and overridden by those published here. */
  readonly bundled: readonly WorkflowRow[];
  /** SHA-256, in hex, of a value's canonical JSON. */
  readonly hash: (value: unknown) => string;
}

const conflict = (id: string): AppError =>
  appError('HOST', 'STATE', `‘${id}’ was changed by someone else in the meantime.`, {
    hint: 'Read it again, then repeat the change.',
  });

function failure(error: unknown): AppError {
  const hint = writeHint(error, 'Check the permissions of the folder "workflows".');
  return appError('HOST', 'STORAGE', `The workflow could not be written (${codeOf(error)}).`, { hint });
}

/** The first version of a workflow that was not published here. */
function bundledRow({ definition, hash, layer }: WorkflowRow): WorkflowHistoryRow {
  const by = layer.kind === 'pack' ? layer.name : 'Patina';
  const decision = { by, at: '', reason: `It came with ${by}.`, ddr: definition.Ddr };
  return { what: 'bundled', definition, hash, decision };
}

const text = (value: HistoryFile | DraftFile): string => `${JSON.stringify(value, null, 2)}\n`;
/** A file name is only ever built from a valid id. */
const fileIn = (folder: string, id: string): string => path.join(folder, `${WorkflowId.parse(id)}.json`);

/** Appends a row to a workflow's history, if the published version is still the one the caller saw. */
function append(
  reader: WorkflowReader,
  published: string,
  expected: string | null,
  row: WorkflowHistoryRow,
): Result<null> {
  const id = row.definition.WorkflowId;
  const publishedFiles = reader.published();
  if (!publishedFiles.ok) return publishedFiles;
  const now = publishedFiles.value.rows.find(({ definition }) => definition.WorkflowId === id)?.hash ?? null;
  if (now !== expected) return err(conflict(id));
  const before = reader.history(id);
  if (!before.ok) return before;
  const rows = [...before.value, row] as HistoryFile['rows'];
  writeFileAtomic(fileIn(published, id), text({ schema: 1, rows }));
  return ok(null);
}

/** Runs `work` on a draft, if the draft is still the one the caller saw. */
function withDraft<T>(
  reader: WorkflowReader,
  id: string,
  expected: string | null,
  work: () => Result<T>,
): Result<T> {
  const now = reader.draft(id);
  if (!now.ok) return now;
  return (now.value?.hash ?? null) === expected ? work() : err(conflict(id));
}

/**
 * Stores workflows as JSON files: `published/<id>.json` with its history, and `drafts/<id>.json`. A lock
 * serializes changes across processes.
 */
export function createWorkflowFolder({ folder, ...deps }: WorkflowFolderDeps): WorkflowStore {
  const published = path.join(folder, 'published');
  const drafts = path.join(folder, 'drafts');
  const news = watchFolders([published, drafts]);
  const reader = createWorkflowReader({ published, drafts, ...deps });
  const change = async <T>(work: () => Result<T>): Promise<Result<T>> => {
    try {
      [folder, published, drafts].forEach(ownFolder);
      const done = await withLock(path.join(folder, '.lock'), deps, work);
      if (done.ok) news.changed();
      return done;
    } catch (error) {
      return err(failure(error));
    }
  };
  return {
    published: reader.published,
    definition: reader.definition,
    history(id) {
      const versions = reader.history(id);
      const came = deps.bundled.find(({ definition }) => definition.WorkflowId === id);
      return versions.ok && came ? ok([bundledRow(came), ...versions.value]) : versions;
    },
    removed: reader.removed,
    drafts: reader.drafts,
    draft: reader.draft,
    draftProblems: reader.draftProblems,
    onChange: news.onChange,
    writeDraft: ({ workflowId, fields, basedOn }, expected) =>
      change(() =>
        withDraft(reader, workflowId, expected, () => {
          const file: DraftFile = { schema: 1, fields, basedOn, changedAt: deps.now() };
          writeFileAtomic(fileIn(drafts, workflowId), text(file));
          return ok(reader.draftOf(workflowId, file));
        }),
      ),
    removeDraft: (workflowId, expected) =>
      change(() =>
        withDraft(reader, workflowId, expected, () => {
          rmSync(fileIn(drafts, workflowId), { force: true });
          return ok(null);
        }),
      ),
    publish: (definition, replaces, decision) =>
      change(() => {
        const row = reader.row(definition);
        const entry = { what: 'published' as const, definition, hash: row.hash, decision };
        const added = append(reader, published, replaces, entry);
        if (added.ok) rmSync(fileIn(drafts, definition.WorkflowId), { force: true });
        return added.ok ? ok(row) : added;
      }),
    remove: (workflowId, expected, decision) =>
      change(() => {
        const found = reader.definition(expected);
        if (!found.ok) return found;
        if (found.value?.WorkflowId !== workflowId) return err(conflict(workflowId));
        const entry = { what: 'removed' as const, definition: found.value, hash: expected, decision };
        return append(reader, published, expected, entry);
      }),
  };
}
