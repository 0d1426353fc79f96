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

const when = (): Option => new Option('--when <moment>', 'when it is adopted').choices(ApplyWhen.options);

/** Converts the arguments to a call; explains a refusal for an invalid call. */
function start(run: Run, { session, ...given }: Given & Readonly<Record<string, unknown>>): Promise<void> {
  const call = WorkspaceCall.safeParse({ ...given, ...(session !== undefined && { sessionId: session }) });
  return run((app, terminal) => {
    if (call.success) return workspaceCommand(app, terminal, call.data);
    const [issue] = call.error.issues;
    const what = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`;
    return fail(terminal, appError('HOST', 'INVALID_INPUT', what));
  });
}

/** `patina workspace …`; without `--session` it applies to new sessions of the project. */
export function addWorkspaceCommands(program: Command, run: Run): void {
  const workspace = program.command('workspace').description('prompt packs and tool catalogs');
  const add = (name: string, description: string): Command =>
    workspace.command(name).description(description).option('--session <id>', "this session's workspace");
  for (const [op, text] of [
    ['status', 'what is active, pending and waiting'],
    ['history', 'what was adopted, and what is stored'],
  ] as const) {
    add(op, text).action((options: Given) => start(run, { ...options, op }));
  }
  add('gc', 'remove stored snapshots that nothing refers to')
    .option('--dry-run', 'only say which they are')
    .action((options: Given & { dryRun?: boolean }) => start(run, { ...options, op: 'gc' }));
  add('sync', 'read the workspace; what is found is pending until it is applied')
    .option('--workspace <name>', 'another workspace of workspaces.json')
    .addOption(new Option('--target <version>', '"latest" or a snapshot hash'))
    .action(({ target, ...options }: Given & { workspace?: string; target?: string }) =>
      start(run, { ...options, ...(target !== undefined && { version: target }), op: 'sync' }),
    );
  add('apply', 'adopt what is pending')
    .addOption(when())
    .action((options: Given & { when?: string }) => start(run, { ...options, op: 'apply' }));
  add('rollback', 'adopt an earlier snapshot')
    .argument('<hash>', 'or its first characters')
    .addOption(when())
    .action((hash: string, options: Given & { when?: string }) =>
      start(run, { ...options, hash, op: 'rollback' }),
    );
  for (const [name, text] of [
    ['bind', 'let a folder be synced under a name'],
    ['create', 'write a workspace to start from into an empty folder, and let it be synced under a name'],
  ] as const) {
    const command = workspace.command(name).description(text).argument('<name>').argument('<folder>');
    command.action((given: string, folder: string) =>
      run((app, terminal) => bindCommand(app, terminal, { way: name, name: given, folder })),
    );
  }
  add('diff', 'what differs between two snapshots; without any, between what is active and what is pending')
    .option('--from <hash>')
    .option('--to <hash>')
    .action((options: Given & { from?: string; to?: string }) => start(run, { ...options, op: 'diff' }));
  add('choose', 'use another prompt pack or tool catalog of the active snapshot')
    .option('--pack <id>', 'one of its prompt packs')
    .option('--catalog <id>', 'one of its tool catalogs')
    .addOption(new Option('--default-pack', "the snapshot's own prompt pack again").conflicts('pack'))
    .addOption(new Option('--default-catalog', "the snapshot's own tool catalog again").conflicts('catalog'))
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
    .option('--pack <id>', 'this prompt pack for this line')
    .option('--catalog <id>', 'this tool catalog for this line')
    .option('--snapshot <hash>', 'this stored snapshot for this line');
}
interface BindWish {
  readonly way: 'bind' | 'create';
  readonly name: string;
  /** Absolute, or relative to the caller's folder. */
  readonly folder: string;
}
const badName = appError(
  'HOST',
  'INVALID_INPUT',
  'A workspace name has lower case letters, digits, dots and dashes.',
);

/**
 * `patina workspace bind` and `create`: give a folder a name under which it can be synced. An apply changes
 * what is bound.
 */
function bindCommand(
  { workspace }: Pick<App, 'workspace'>,
  terminal: Terminal,
  { way, name, folder }: BindWish,
): Promise<ExitCode> {
  if (!WorkspaceName.safeParse(name).success) return Promise.resolve(fail(terminal, badName));
  const resolved = pathArgument('The folder', folder);
  if (!resolved.ok) return Promise.resolve(fail(terminal, resolved.error));
  const root = resolved.value;
  const done = way === 'create' ? workspace.create(name, root) : workspace.allow(name, root);
  if (!done.ok) return Promise.resolve(fail(terminal, done.error));
  const next = `patina workspace sync --workspace ${name}`;
  print(terminal, { name, folder: root, next }, () => `"${name}" stands for ${root}. Next: ${next}`);
  return Promise.resolve(0);
}
