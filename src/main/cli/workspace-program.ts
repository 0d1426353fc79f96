import { Option, type Command } from 'commander';
import { appError } from '#shared/app-error';
import { ApplyWhen, WorkspaceName } from '#shared/workspace';
import { WorkspaceCall } from '#shared/workspace-call';
import { workspaceCommand } from './commands/workspace';
import { fail, print, type ExitCode, type Terminal } from './output';
import type { Work } from './work';
import type { App } from '../app';
import { pathArgument } from './caller-paths';

type Run = (work: Work) => Promise<void>;
interface Given {
  readonly session?: string;
}

interface Chosen {
  readonly pack?: string;
  readonly catalog?: string;
  readonly defaultPack?: boolean;
  readonly defaultCatalog?: boolean;
}

const when = (): Option =>
  new Option('--when <moment>', 'when to use the new version').choices(ApplyWhen.options);

/** Converts the arguments to a call; explains a refusal for an invalid call. */
function start(run: Run, { session, ...options }: Given & Readonly<Record<string, unknown>>): Promise<void> {
  const call = WorkspaceCall.safeParse({ ...options, ...(session !== undefined && { sessionId: session }) });
  return run((app, terminal) => {
    if (call.success) return workspaceCommand(app, terminal, call.data);
    const [issue] = call.error.issues;
    const what = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`;
    return fail(terminal, appError('HOST', 'INVALID_INPUT', what));
  });
}

/** `patina workspace …`; without `--session` it applies to new sessions of the project. */
export function addWorkspaceCommands(program: Command, run: Run): void {
  const workspace = program
    .command('workspace')
    .description('manage the agent workspace: instructions (prompt packs) and tool sets (tool catalogs)');
  const add = (name: string, description: string): Command =>
    workspace
      .command(name)
      .description(description)
      .option('--session <id>', 'the workspace of this session (default: of new sessions)');
  for (const [op, text] of [
    ['status', 'show the active, pending and waiting versions'],
    ['history', 'list the versions that were used and those that are stored'],
  ] as const) {
    add(op, text).action((options: Given) => start(run, { ...options, op }));
  }
  add('gc', 'remove stored versions (snapshots) that nothing uses')
    .option('--dry-run', 'only list them')
    .action((options: Given & { dryRun?: boolean }) => start(run, { ...options, op: 'gc' }));
  add('sync', 'read the folder and stage a version (snapshot); apply uses it')
    .option('--workspace <name>', 'a workspace named in workspaces.json')
    .addOption(new Option('--target <version>', '"latest" or the hash of a version'))
    .action(({ target, ...options }: Given & { workspace?: string; target?: string }) =>
      start(run, { ...options, ...(target !== undefined && { version: target }), op: 'sync' }),
    );
  add('apply', 'use the pending version')
    .addOption(when())
    .action((options: Given & { when?: string }) => start(run, { ...options, op: 'apply' }));
  add('rollback', 'go back to an earlier version')
    .argument('<hash>', 'hash of the version, or its first 8 or more digits')
    .addOption(when())
    .action((hash: string, options: Given & { when?: string }) =>
      start(run, { ...options, hash, op: 'rollback' }),
    );
  for (const [name, text] of [
    ['bind', 'bind a folder to a workspace name'],
    ['create', 'create an example workspace in an empty folder and bind it to a name'],
  ] as const) {
    const command = workspace.command(name).description(text).argument('<name>').argument('<folder>');
    command.action((id: string, folder: string) =>
      run((app, terminal) => bindCommand(app, terminal, { way: name, name: id, folder })),
    );
  }
  add('diff', 'compare two versions (default: the active and the pending one)')
    .option('--from <hash>')
    .option('--to <hash>')
    .action((options: Given & { from?: string; to?: string }) => start(run, { ...options, op: 'diff' }));
  add('choose', 'choose other instructions or another tool set of the active version')
    .option('--pack <id>', 'instructions (prompt pack) to use')
    .option('--catalog <id>', 'tool set (tool catalog) to use')
    .addOption(new Option('--default-pack', "use the version's default instructions").conflicts('pack'))
    .addOption(new Option('--default-catalog', "use the version's default tool set").conflicts('catalog'))
    .action(({ pack, catalog, defaultPack, defaultCatalog, ...options }: Given & Chosen) =>
      start(run, {
        ...options,
        promptPack: defaultPack ? null : pack,
        toolCatalog: defaultCatalog ? null : catalog,
        op: 'choose',
      }),
    );
}

/** `--pack`, `--catalog` and `--snapshot`: one line's overrides of its session's workspace. */
export function withOverrides(command: Command): Command {
  return command
    .option('--pack <id>', 'instructions (prompt pack) for this message')
    .option('--catalog <id>', 'tool set (tool catalog) for this message')
    .option('--snapshot <hash>', 'stored workspace version (snapshot) for this message');
}
interface BindRequest {
  readonly way: 'bind' | 'create';
  readonly name: string;
  /** Absolute, or relative to the caller's folder. */
  readonly folder: string;
}
const badName = appError(
  'HOST',
  'INVALID_INPUT',
  'A workspace name can contain only lowercase letters, digits, dots and dashes.',
);

/**
 * `patina workspace bind` and `create`: give a folder a name under which it can be synced. An apply changes
 * what is bound.
 */
function bindCommand(
  { workspace }: Pick<App, 'workspace'>,
  terminal: Terminal,
  { way, name, folder }: BindRequest,
): Promise<ExitCode> {
  if (!WorkspaceName.safeParse(name).success) return Promise.resolve(fail(terminal, badName));
  const resolved = pathArgument('The folder', folder);
  if (!resolved.ok) return Promise.resolve(fail(terminal, resolved.error));
  const root = resolved.value;
  const done = way === 'create' ? workspace.create(name, root) : workspace.allow(name, root);
  if (!done.ok) return Promise.resolve(fail(terminal, done.error));
  const next = `patina workspace sync --workspace ${name}`;
  print(terminal, { name, folder: root, next }, () => `Bound "${name}" to ${root}. Next: ${next}`);
  return Promise.resolve(0);
}
