import { appError, otherProblems, problemLine, type AppError, type ConfigProblem } from '#shared/app-error';
import type { Notice } from '#shared/notice';
import type { Result } from '#shared/result';
import { readRegistry } from '../adapters/mcp/registry-file';
import { createPolicyFiles } from '../adapters/policy/policy-files';
import type { CoreDeps } from './core-deps';
import { registryPlaces } from './servers';
import { joinFew } from '../notices/pack-notices';
import type { DoctorCheck } from '../app';
import type { Ddrs } from '../../core/ddrs/create-ddrs';
import type { SnapshotStore } from '../../core/ports/snapshot-store';
import type { WorkspaceFolders } from '../../core/ports/workspace-files';
import type { WorkflowRegistry } from '../../core/workflows/registry';

type Base = Pick<CoreDeps, 'host' | 'seeds' | 'notices'>;

export interface FileNoticeSources {
  readonly registry: Pick<WorkflowRegistry, 'problems' | 'draftProblems' | 'onChange'>;
  readonly folders: Pick<WorkspaceFolders, 'names'>;
  readonly ddrs: Pick<Ddrs, 'problems' | 'items'>;
  readonly snapshots: Pick<SnapshotStore, 'problems'>;
  readonly project: () => string | null;
}

/** Raises a notice about unreadable files and withdraws it when there are none. */
function report(
  { notices }: Base,
  { id, title, hint }: Pick<Notice, 'id' | 'title'> & { readonly hint: string },
  problems: readonly ConfigProblem[],
): void {
  if (problems.length === 0) return notices.withdraw(id);
  const detail = joinFew(problems.map(problemLine));
  notices.raise({ id, level: 'warning', title, detail, hint });
}

function reportWorkflows(base: Base, { registry }: FileNoticeSources): void {
  const hint = 'Fix these files or move them elsewhere. Patina reads them again immediately.';
  report(
    base,
    {
      id: 'workflow-files',
      title: 'Some published workflows cannot be read',
      hint: `${hint} Until then these workflows are halted, and no workflow starts by itself.`,
    },
    registry.problems(),
  );
  report(
    base,
    { id: 'draft-files', title: 'Some workflow drafts cannot be read', hint },
    registry.draftProblems(),
  );
}

const ddrHint =
  'Fix these files or move them elsewhere. Patina reads them again immediately. The other design records still work.';
const snapshotHint =
  'A session that uses one cannot answer until you sync its workspace again or go back to another version. Remove the versions that you no longer need.';

function reportDdrs(base: Base, { ddrs }: FileNoticeSources): void {
  report(
    base,
    { id: 'ddr-files', title: 'Some design records (DDRs) cannot be read', hint: ddrHint },
    ddrs.problems(),
  );
}

/**
 * A start hashes at most this much of the stored snapshots, many times the usual amount; `patina doctor`
 * hashes all.
 */
const startBytes = 4 * 1024 * 1024;

function reportSnapshots(base: Base, { snapshots }: FileNoticeSources): void {
  const title = 'Some workspace versions are damaged';
  report(base, { id: 'snapshot-files', title, hint: snapshotHint }, snapshots.problems(startBytes));
}

/** The checks of `patina doctor` for DDRs and stored snapshots; reads every file. */
export function checkStoredFiles({
  ddrs,
  snapshots,
}: Pick<FileNoticeSources, 'ddrs' | 'snapshots'>): readonly DoctorCheck[] {
  const files: readonly (readonly [name: string, hint: string, found: readonly ConfigProblem[]])[] = [
    ['DDRs', ddrHint, ddrs.problems()],
    ['workspace versions', snapshotHint, snapshots.problems(Infinity)],
  ];
  return files.map(([name, hint, found]) => {
    if (found.length === 0) return { name, ok: true, detail: 'every file can be read' };
    const error = appError('CONFIG', 'INVALID', `Some ${name} cannot be used.`, {
      problems: [...found],
      hint,
    });
    return { name, ok: false, detail: `${joinFew(found.map(problemLine))} ${hint}`, error };
  });
}

/**
 * A notice about a configuration file that overrides Patina's own: only its settings are off until it can be
 * read.
 */
function configNotice(id: string, title: string, error: AppError): Notice {
  const { hint = "Fix the file, or remove it to use Patina's defaults." } = error;
  const lines = [error.message, ...otherProblems(error).map(problemLine)];
  const sentences = lines.map((line) => (/[.!?]$/.test(line) ? line : `${line}.`));
  return { id, level: 'warning', title, detail: joinFew(sentences), hint };
}

function configNotices({ host, seeds }: Base, { folders, project }: FileNoticeSources): readonly Notice[] {
  const { env } = host;
  const folder = project();
  const policy = createPolicyFiles({ seeds, env });
  const servers = readRegistry(registryPlaces({ host }));
  const files: readonly (readonly [id: string, title: string, found: Result<unknown> | null])[] = [
    ['workspaces-file', 'No workspace can be synced', folders.names()],
    ['registry-file', 'No server can be used', servers],
    [
      'capabilities-file',
      'No server tool can be called',
      folder === null ? null : policy.capabilities(folder),
    ],
    ['budgets-file', 'Agent Mode cannot run', folder === null ? null : policy.budgets(folder)],
  ];
  return files.flatMap(([id, title, found]) =>
    !found || found.ok ? [] : [configNotice(id, title, found.error)],
  );
}

/**
 * Reports unreadable files that disable a feature but do not stop the app: published workflows, drafts and
 * DDRs, watched for changes, and stored snapshots and the user's configuration files, checked once. Returns a
 * function that stops watching.
 */
export function raiseFileNotices(base: Base, sources: FileNoticeSources): () => void {
  for (const notice of configNotices(base, sources)) base.notices.raise(notice);
  reportWorkflows(base, sources);
  reportDdrs(base, sources);
  reportSnapshots(base, sources);
  const stops = [
    sources.registry.onChange(() => reportWorkflows(base, sources)),
    sources.ddrs.items.onChange?.(() => reportDdrs(base, sources)),
  ];
  return () => stops.forEach((stop) => stop?.());
}
