import path from 'node:path';
import type { AppError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import type { WorkflowDefinition, WorkflowRow } from '#shared/workflow';
import type { UnreadableWorkflow, WorkflowDraft, WorkflowStore } from '../../../core/ports/workflow-store';
import {
  DraftFile,
  HistoryFile,
  problemError,
  readFileOf,
  readFolder,
  type FolderContent,
} from './workflow-files';

export interface WorkflowReaderDeps {
  readonly published: string;
  readonly drafts: string;
  readonly bundled: readonly WorkflowRow[];
  readonly hash: (value: unknown) => string;
}

export interface WorkflowReader extends Pick<
  WorkflowStore,
  'published' | 'definition' | 'history' | 'removed' | 'drafts' | 'draft' | 'draftProblems'
> {
  draftOf(id: string, file: DraftFile): WorkflowDraft;
  row(definition: WorkflowDefinition): WorkflowRow;
}

function misnamed(folder: string, workflowId: string): UnreadableWorkflow {
  return {
    file: path.join(folder, `${workflowId}.json`),
    field: 'WorkflowId',
    rule: 'file-name',
    reason: 'The file is named after another workflow.',
    workflowId,
  };
}

const unlisted = (file: string, { message: reason }: AppError): UnreadableWorkflow => ({
  file,
  field: '',
  rule: 'readable',
  reason,
  workflowId: null,
});

const byId = (a: WorkflowRow, b: WorkflowRow): number =>
  a.definition.WorkflowId < b.definition.WorkflowId ? -1 : 1;

/** Layers the workflows of the home folder over those of Patina and the packs. */
function layered(
  { bundled, published }: WorkflowReaderDeps,
  { files, problems: unreadable }: FolderContent<HistoryFile>,
  rowOf: WorkflowReader['row'],
): { readonly rows: readonly WorkflowRow[]; readonly problems: readonly UnreadableWorkflow[] } {
  const rows = new Map(bundled.map((row) => [row.definition.WorkflowId, row]));
  const problems = [...unreadable];
  for (const [id, file] of files) {
    const last = file.rows.at(-1);
    if (last?.definition.WorkflowId !== id) problems.push(misnamed(published, id));
    else if (last.what === 'removed') rows.delete(id);
    else rows.set(id, rowOf(last.definition));
  }
  for (const { workflowId } of problems) if (workflowId !== null) rows.delete(workflowId);
  return { rows: [...rows.values()].sort(byId), problems };
}

/** Reads workflows from their folders. Always computes the hash, so that it reveals a file edited by hand. */
export function createWorkflowReader(deps: WorkflowReaderDeps): WorkflowReader {
  const { published, drafts, bundled, hash } = deps;
  const row: WorkflowReader['row'] = (definition) => ({
    definition,
    layer: { kind: 'home' },
    hash: hash(definition),
  });
  const draftOf: WorkflowReader['draftOf'] = (workflowId, { fields, basedOn, changedAt }) => ({
    workflowId,
    fields,
    basedOn,
    changedAt,
    hash: hash(fields),
  });
  return {
    row,
    draftOf,
    published() {
      const home = readFolder(published, HistoryFile);
      // Which workflows the user published cannot be known then; those of Patina and the packs still can start.
      const content = home.ok
        ? home.value
        : { files: new Map(), problems: [unlisted(published, home.error)] };
      return ok(layered(deps, content, row));
    },
    history(id) {
      const file = readFileOf(published, id, HistoryFile);
      return file.ok ? ok(file.value?.rows ?? []) : err(problemError(file.error));
    },
    removed() {
      const home = readFolder(published, HistoryFile);
      if (!home.ok) return home;
      const last = [...home.value.files].flatMap(([id, file]) => {
        const row = file.rows.at(-1);
        return row?.what === 'removed' && row.definition.WorkflowId === id ? [row.definition] : [];
      });
      return ok(last);
    },
    definition(wanted) {
      const own = bundled.find((one) => one.hash === wanted);
      if (own) return ok(own.definition);
      const home = readFolder(published, HistoryFile);
      if (!home.ok) return home;
      const rows = [...home.value.files.values()].flatMap((file) => file.rows);
      return ok(rows.find((one) => hash(one.definition) === wanted)?.definition ?? null);
    },
    drafts() {
      const found = readFolder(drafts, DraftFile);
      if (!found.ok) return found;
      return ok([...found.value.files].map(([id, file]) => draftOf(id, file)));
    },
    draftProblems() {
      const found = readFolder(drafts, DraftFile);
      if (found.ok) return found.value.problems;
      return [unlisted(drafts, found.error)];
    },
    draft(id) {
      const file = readFileOf(drafts, id, DraftFile);
      if (!file.ok) return err(problemError(file.error));
      return ok(file.value && draftOf(id, file.value));
    },
  };
}
