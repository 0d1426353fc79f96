import { ok } from '#shared/result';
import { ExportFormat } from '#shared/session-file';
import { Command, InvalidArgumentError, Option } from 'commander';
import { agentCommand, type AgentOptions } from './commands/agent';
import { askCommand, type AskOptions } from './commands/ask';
import { backupCommand, restoreCommand } from './commands/backup';
import { chatCommand, type ChatOptions } from './commands/chat';
import { doctorCommand, doctorOfRefusedStart } from './commands/doctor';
import { execCommand } from './commands/exec';
import type { HelpRequest } from './commands/help';
import { instructionsCommand, type InstructionsOptions } from './commands/instructions';
import { projectInstructionsCommand } from './commands/project-instructions';
import { modesCommand } from './commands/modes';
import { promptCommand, type PromptOptions } from './commands/prompt';
import {
  recipeListCommand,
  recipeRunCommand,
  recipeSaveCommand,
  type RecipeRunOptions,
  type RecipeSaveOptions,
} from './commands/recipe';
import { resumeCommand } from './commands/resume';
import { routeCommand, type RouteOptions } from './commands/route';
import {
  sessionDeleteCommand,
  sessionEventsCommand,
  sessionExportCommand,
  sessionForkCommand,
  sessionHeadCommand,
  sessionImportCommand,
  sessionListCommand,
  sessionReplayCommand,
  sessionShowCommand,
  sessionUncompactCommand,
} from './commands/session';
import { sessionCopiesCommand, sessionRepairCommand, sessionRestoreCommand } from './commands/session-repair';
import { signInCommand, signOutCommand, type SignInOptions } from './commands/server';
import { toolCommand, type ToolOptions } from './commands/tool';
import { toolsCommand, type ToolsOptions } from './commands/tools';
import { undoCommand, type UndoOptions } from './commands/undo';
import { addLocalModelCommands } from './model-program';
import { addProviderCommands } from './provider-program';
import { addPackCommands } from './pack-program';
import { addUsageCommands } from './usage-program';
import { addWorkspaceCommands, withOverrides } from './workspace-program';
import { fail } from './output';
import { textArgument } from './read-input';
import type { RefusedWork, Work } from './work';
import { addWorkflowCommands } from './workflow-program';
import { artifactListCommand, artifactShowCommand, type ArtifactShowOptions } from './commands/artifact';

/** `patina artifact …`: values that runs store outside the model's context. */
function addArtifactCommands(program: Command, run: (work: Work) => Promise<void>): void {
  const artifact = program.command('artifact').description('list and read run artifacts');
  artifact
    .command('list')
    .description('list the artifacts of the project folder, newest first')
    .action(() => run(artifactListCommand));
  artifact
    .command('show')
    .argument('<handle>', 'artifact://sha256/…')
    .option('--from <line>', 'first line, counted from 1')
    .option('--to <line>', 'last line')
    .option('--grep <text>', 'only lines containing this text, with their numbers')
    .description('print an artifact or part of it')
    .action((handle: string, options: ArtifactShowOptions) =>
      run((app, terminal) => artifactShowCommand(app, terminal, handle, options)),
    );
}

export interface GlobalOptions {
  readonly home?: string;
  readonly project?: string;
  readonly json?: boolean;
}

const approve = (): Option =>
  new Option(
    '--approve <policy>',
    'how writes are approved (default: ask on a terminal, otherwise none)',
  ).choices(['all', 'none', 'ask']);
/** Adds `--review`; `none` answers for itself, so it excludes every other `--approve`. */
const withReview = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--review <when>',
        'when the run waits for you: at writes, before each plan, or never (default: writes)',
      ).choices(['writes', 'plan', 'none']),
    )
    .hook('preAction', (_program, action) => {
      const { review, approve } = action.opts<Pick<AgentOptions, 'approve' | 'review'>>();
      if (review === 'none' && (approve === 'all' || approve === 'ask'))
        action.error(
          `error: --review none cannot be used with --approve ${approve}: it refuses every write that no saved permission covers. Leave out one of them.`,
        );
    });
/** A turn's number, from 0. */
function turnNumber(value: string): number {
  const turn = Number(value);
  if (!Number.isSafeInteger(turn) || turn < 0)
    throw new InvalidArgumentError('Give the number of a turn; turns count from 0.');
  return turn;
}

function runId(value: string): string {
  if (value.trim() === '')
    throw new InvalidArgumentError('Give the id of a run, as patina agent reports it.');
  return value;
}

function temperatureNumber(value: string): number {
  const temperature = Number(value);
  if (value.trim() === '' || !(temperature >= 0 && temperature <= 2))
    throw new InvalidArgumentError('Give a number from 0 to 2.');
  return temperature;
}

function tokenCount(value: string): number {
  const count = Number(value);
  if (!Number.isSafeInteger(count) || count < 1 || count > 1_000_000)
    throw new InvalidArgumentError('Give a whole number from 1 to 1000000.');
  return count;
}

const parent = (): Option =>
  new Option('--parent <turn>', 'send the message after this turn, beside what followed it').argParser(
    turnNumber,
  );

function needsSession(command: Command, session: string | undefined, turn: number | undefined): void {
  if (turn !== undefined && session === undefined)
    command.error('error: a turn belongs to a session. Name it with --session <id>.');
}

const model = (): Option =>
  new Option('--model <id>', 'the model that answers: provider/model, or a name that one provider lists');

const effort = (): Option =>
  new Option('--effort <level>', 'how much the model thinks').choices(['low', 'medium', 'high']);

const regenerate = (): Option =>
  new Option('--regenerate <turn>', 'answer the message of this turn again, in its place').argParser(
    turnNumber,
  );

/** A regenerated line has its own text, which the error calls `what`. */
function oneLine(
  command: Command,
  what: string,
  { line, regenerates }: { readonly line: string | undefined; readonly regenerates: number | undefined },
): void {
  if (line === undefined && regenerates === undefined)
    command.error(`error: missing required argument '${what}'`);
  if (line !== undefined && regenerates !== undefined)
    command.error(`error: option '--regenerate <turn>' cannot be used with a ${what}`);
}

const collect = (value: string, all: readonly string[] = []): readonly string[] => [...all, value];

/** Adds the options that send files with a line. */
const withAttach = (command: Command): Command =>
  command
    .option(
      '--attach <file>',
      'send this file or folder, or - for standard input, with the message (repeatable)',
      collect,
    )
    .option('--attach-secrets', 'attach files that look like secrets');

/** Runs the work with the text of an argument, which `-` reads from standard input. */
const withText =
  (
    written: string | undefined,
    work: (...args: [...Parameters<Work>, string | undefined]) => ReturnType<Work>,
  ): Work =>
  async (app, terminal) => {
    const text = written === undefined ? ok(undefined) : await textArgument(written);
    return text.ok ? work(app, terminal, text.value) : fail(terminal, text.error);
  };

function addModelCommands(program: Command, run: (work: Work) => Promise<void>): void {
  withAttach(withOverrides(program.command('ask')))
    .argument('[text]', 'the message, or - to read it from standard input')
    .option('--session <id>', 'continue a session')
    .addOption(parent())
    .addOption(regenerate().conflicts(['parent', 'attach']))
    .option('--tools', 'offer MCP server tools to the model for this message')
    .addOption(model())
    .addOption(effort())
    .addOption(new Option('--temperature <number>', 'from 0 to 2').argParser(temperatureNumber))
    .addOption(new Option('--max-tokens <count>', 'the longest reply, in tokens').argParser(tokenCount))
    .option('--stop <text>', 'end the reply at this text (repeatable)', collect)
    .addOption(approve())
    .description('send a line to the model')
    .action((text: string | undefined, options: AskOptions, command: Command) => {
      const { session, parent: after, regenerate: turn } = options;
      oneLine(command, 'text', { line: text, regenerates: turn });
      needsSession(command, session, after ?? turn);
      return run(withText(text, (app, terminal, line) => askCommand(app, terminal, line, options)));
    });
  withAttach(withReview(withOverrides(program.command('agent'))))
    .argument('[goal]', 'what to reach, or - to read it from standard input')
    .option('--plan <file>', 'run this plan without asking a model; its goal is used if you give none')
    .option('--fresh', 'bypass the read cache')
    .option('--plan-anew', 'ignore the cached plan for this goal')
    .option('--session <id>', 'continue a session')
    .addOption(parent())
    .addOption(regenerate().conflicts(['plan', 'parent', 'attach']))
    .addOption(model())
    .addOption(effort())
    .addOption(approve())
    .addOption(
      new Option('--resume <run>', 'continue an interrupted run instead of starting one').conflicts([
        ...['plan', 'fresh', 'planAnew', 'session', 'parent', 'regenerate', 'model', 'effort', 'attach'],
        ...['pack', 'catalog', 'snapshot'],
      ]),
    )
    .option(
      '--happened <call>',
      'with --resume: this write of unknown outcome was made (repeatable)',
      collect,
    )
    .option('--not-happened <call>', 'with --resume: this write was not made (repeatable)', collect)
    .description('reach a goal in Agent Mode')
    .action((goal: string | undefined, options: AgentOptions, command: Command) => {
      const { resume } = options;
      if (goal !== undefined && resume !== undefined)
        command.error("error: option '--resume <run>' cannot be used with a goal");
      if (resume !== undefined) return run((app, terminal) => resumeCommand(app, terminal, resume, options));
      if (options.plan === undefined)
        oneLine(command, 'goal', { line: goal, regenerates: options.regenerate });
      needsSession(command, options.session, options.parent ?? options.regenerate);
      return run(withText(goal, (app, terminal, line) => agentCommand(app, terminal, line, options)));
    });
  program
    .command('undo')
    .argument('<run>', 'the run, as patina agent reports it', runId)
    .option(
      '--write <call>',
      'undo only this write: its callId, or its place in the list of writes, counted from 0',
    )
    .option('--partial', 'undo the other files when one has changed since the run')
    .option('--diff', 'undo nothing; show everything that the run wrote as one diff')
    .option('--session <id>', 'the session of the run, if known')
    .description('undo what a run wrote to project files')
    .action((named: string, options: UndoOptions) =>
      run((app, terminal) => undoCommand(app, terminal, named, options)),
    );
  program
    .command('chat')
    .option('--session <id>', 'continue a session')
    .addOption(model())
    .description('chat in the terminal')
    .action((options: ChatOptions) => run((app, terminal) => chatCommand(app, terminal, options)));
  withOverrides(program.command('prompt'))
    .option('--session <id>', 'as this session sends it')
    .option('--mode <key>', 'in this mode')
    .addOption(new Option('--run-mode <mode>').choices(['ask', 'agent']))
    .option('--tools', 'include MCP server tools')
    .description('show what the model would receive')
    .action((options: PromptOptions) => run((app, terminal) => promptCommand(app, terminal, options)));
}

function addControlCommands(program: Command, run: (work: Work) => Promise<void>): void {
  program
    .command('route')
    .argument('<text>', 'one line of input, or - to read lines from standard input')
    .option('--mode <key>', 'in this mode')
    .option('--session <id>', 'in this session')
    .option('--roles <names>', 'comma-separated roles')
    .option('--no-ui', 'route as if no picker were available')
    .description('show how a line would be routed, without running it')
    .action((text: string, options: RouteOptions) =>
      run((app, terminal) => routeCommand(app, terminal, text, options)),
    );
  program
    .command('tool')
    .argument('<name>')
    .argument('[json]', 'the arguments as JSON, or - to read them from standard input', '{}')
    .option('--mode <key>', 'as a model in this mode')
    .option('--session <id>', 'in this session')
    .addOption(approve())
    .description('call a built-in tool the way a model would')
    .action((name: string, argumentsJson: string, options: ToolOptions) =>
      run((app, terminal) => toolCommand(app, terminal, { name, argumentsJson }, options)),
    );
}

function addRecipeCommands(program: Command, run: (work: Work) => Promise<void>): void {
  const recipe = program
    .command('recipe')
    .description('list, save and run recipes: plans that run without a model');
  recipe
    .command('list')
    .description('list the recipes')
    .action(() => run(recipeListCommand));
  recipe
    .command('save')
    .argument('<session>', 'the session whose newest run becomes the recipe')
    .requiredOption('--id <id>', 'id of the recipe, like count_todos')
    .option('--title <text>', 'display title (default: the goal)')
    .option('--description <text>', 'what the recipe does')
    .option('--turn <number>', 'use the run of this line, counted from 0', turnNumber)
    .option('--name <old=new>', 'rename a parameter (repeatable)', collect, [])
    .option(
      '--param <name>',
      'value to turn into a parameter (repeatable; default: the values named in the goal)',
      collect,
      [],
    )
    .description('save a run as a recipe')
    .action((session: string, options: RecipeSaveOptions) =>
      run((app, terminal) => recipeSaveCommand(app, terminal, session, options)),
    );
  withReview(recipe.command('run'))
    .argument('<id>')
    .option('--param <name=value>', 'set a parameter (repeatable)', collect, [])
    .option('--session <id>', 'continue a session')
    .addOption(approve())
    .option('--fresh', 'bypass the read cache')
    .description('run a recipe')
    .action((id: string, options: RecipeRunOptions) =>
      run((app, terminal) => recipeRunCommand(app, terminal, id, options)),
    );
}

function addSessionCommands(program: Command, run: (work: Work) => Promise<void>): void {
  const session = program
    .command('session')
    .description('read, export, import, check, repair, restore and delete sessions');
  session
    .command('list')
    .description('list the sessions')
    .action(() => run(sessionListCommand));
  const readers = { show: sessionShowCommand, events: sessionEventsCommand, replay: sessionReplayCommand };
  const texts = {
    show: 'show the state of a session',
    events: 'list the events of a session',
    replay: 'replay the events and verify the state hash',
  };
  for (const name of ['show', 'events', 'replay'] as const) {
    session
      .command(name)
      .argument('<id>')
      .description(texts[name])
      .action((id: string) => run((app, terminal) => readers[name](app, terminal, id)));
  }
  session
    .command('export')
    .argument('<id>')
    .addOption(new Option('--format <format>').choices(ExportFormat.options).default('md'))
    .option('--turn <turn>', 'the path to this turn (default: the path on the screen)', turnNumber)
    .description('print a session')
    .action((id: string, options: { format: ExportFormat; turn?: number }) =>
      run((app, terminal) => sessionExportCommand(app, terminal, id, options)),
    );
  session
    .command('import')
    .argument('<file>', 'a session exported as JSON, or an export of ChatGPT or Claude (JSON or ZIP)')
    .option('--dry-run', 'only count what the file contains')
    .description('import conversations from a file')
    .action((file: string, options: { dryRun?: boolean }) =>
      run((app, terminal) => sessionImportCommand(app, terminal, file, options)),
    );
  session
    .command('repair')
    .argument('[id]')
    .description(
      'restore the damaged and missing events of a session, or of every damaged session, from the copies',
    )
    .action((id?: string) => run((app, terminal) => sessionRepairCommand(app, terminal, id)));
  session
    .command('head')
    .argument('<id>')
    .argument('<turn>', 'the turn to continue from; turns count from 0', turnNumber)
    .description('continue a session from another turn')
    .action((id: string, turn: number) =>
      run((app, terminal) => sessionHeadCommand(app, terminal, id, turn)),
    );
  session
    .command('uncompact')
    .argument('<id>')
    .description('undo the summary of earlier turns; the model reads the turns themselves again')
    .action((id: string) => run((app, terminal) => sessionUncompactCommand(app, terminal, id)));
  session
    .command('fork')
    .argument('<id>')
    .option('--turn <turn>', 'copy up to this turn (default: the whole conversation)', turnNumber)
    .description('copy a session into a new one')
    .action((id: string, options: { turn?: number }) =>
      run((app, terminal) => sessionForkCommand(app, terminal, id, options)),
    );
  session
    .command('copies')
    .description('list the daily copies of the sessions file')
    .action(() => run(sessionCopiesCommand));
  session
    .command('restore')
    .argument('<copy>', 'name of a copy, as patina session copies lists it')
    .option('--session <id>', 'restore only this session')
    .description('restore the sessions and events that a copy has and the sessions file lacks')
    .action((copy: string, options: { session?: string }) =>
      run((app, terminal) => sessionRestoreCommand(app, terminal, copy, options)),
    );
  session
    .command('delete')
    .argument('<id>')
    .option('--yes', 'delete without asking')
    .description('delete a session permanently')
    .action((id: string, options: { yes?: boolean }) =>
      run((app, terminal) => sessionDeleteCommand(app, terminal, id, options)),
    );
}

function addServerCommands(program: Command, run: (work: Work) => Promise<void>): void {
  const server = program.command('server').description('sign in to or out of MCP servers');
  server
    .command('sign-in')
    .argument('<name>')
    .option('--paste', 'paste the address at which the browser ended, when it runs on another machine')
    .description('sign in to an MCP server that asks for it')
    .action((name: string, options: SignInOptions) =>
      run((app, terminal) => signInCommand(app, terminal, name, options)),
    );
  server
    .command('sign-out')
    .argument('<name>')
    .description('delete the tokens of an MCP server')
    .action((name: string) => run((app, terminal) => signOutCommand(app, terminal, name)));
}

function addInstructions(program: Command, run: (work: Work) => Promise<void>): void {
  const instructions = program
    .command('instructions')
    .description('show and set your own instructions for models');
  const placed = (command: Command): Command =>
    command
      .option('--session <id>', 'for this session')
      .addOption(new Option('--here', 'for the project folder').conflicts('session'));
  placed(instructions.command('show'))
    .description('print the instructions with their size in tokens (default: those for every session)')
    .action((options: InstructionsOptions) =>
      run((app, terminal) => instructionsCommand(app, terminal, null, options)),
    );
  placed(instructions.command('set'))
    .argument('<text>', 'the instructions; an empty text removes them')
    .description('replace the instructions')
    .action((text: string, options: InstructionsOptions) =>
      run((app, terminal) => instructionsCommand(app, terminal, text, options)),
    );
  const ofProject = (act: 'find' | 'adopt' | 'drop', description: string): Command =>
    instructions
      .command(act)
      .description(description)
      .action(() => run((app, terminal) => projectInstructionsCommand(app, terminal, act)));
  ofProject('find', 'list the instructions that the project brings along (AGENTS.md, CLAUDE.md, …)');
  ofProject('adopt', 'let models read the instructions of the project as they are now');
  ofProject('drop', 'let models read none of the instructions of the project');
}

function addInspection(
  program: Command,
  run: (work: Work, refusedWork?: RefusedWork) => Promise<void>,
): void {
  program
    .command('doctor')
    .description('check configuration, servers, providers, storage and sandbox')
    .action(() => run(doctorCommand, doctorOfRefusedStart));
  program
    .command('backup')
    .argument('<file>', 'the file to write')
    .description('save sessions, settings, workflows, records and packs to one file')
    .action((file: string) => run((app, terminal) => backupCommand(app, terminal, file)));
  program
    .command('restore')
    .argument('<file>', 'a file that patina backup wrote')
    .option('--yes', 'restore without asking')
    .description(
      'replace everything with a backup at the next start; the current files stay in a folder beside it',
    )
    .action((file: string, options: { yes?: boolean }) =>
      run((app, terminal) => restoreCommand(app, terminal, file, options)),
    );
  program
    .command('modes')
    .description('list the modes of a session')
    .action(() => run(modesCommand));
  program
    .command('exec')
    .option('--unit <file>', 'read the ExecutionUnit from this file (default: standard input)')
    .description('run one ExecutionUnit in the sandbox')
    .action((options: { unit?: string }) => run((app, terminal) => execCommand(app, terminal, options.unit)));
  program
    .command('tools')
    .option('--search <text>', 'only tools matching these words')
    .option('--signatures', 'show the declarations that a model receives')
    .option('--grants', 'list the saved permissions instead of the tools')
    .option('--accept <name>', 'show how a tool changed, and accept the change')
    .option('--revoke <id>', 'revoke a saved permission')
    .option('--allow <server>', 'allow all tools of a server in this project')
    .description('list the tools that scripts can call, and manage their permissions')
    .action((options: ToolsOptions) => run((app, terminal) => toolsCommand(app, terminal, options)));
}

/** Prints help: the words after `help`, and what the program knows about its commands. */
export type ShowHelp = (
  request: Pick<HelpRequest, 'words' | 'commandHelp' | 'commandNames'>,
  options: GlobalOptions,
) => Promise<void>;

function addHelp(program: Command, showHelp: ShowHelp): void {
  const commandHelp = (path: readonly string[]): string | null => {
    let found: Command | undefined = program;
    for (const name of path) found = found?.commands.find((each) => each.name() === name);
    return found?.helpInformation() ?? null;
  };
  program
    .helpCommand(false)
    .command('help')
    .argument('[topic...]', 'a topic of the user guide, or a command')
    .description('print a page of the user guide, or list its topics')
    .action((words: readonly string[]) => {
      const commandNames = program.commands.map((each) => each.name());
      return showHelp({ words, commandHelp, commandNames }, program.opts<GlobalOptions>());
    });
}

/**
 * Turns commander's own exits into errors, at every depth: the entry point decides the exit code. A usage error says
 * which help explains the command.
 */
function throwInsteadOfExit(
  command: Command,
  usageError: (text: string) => void,
  path = command.name(),
): void {
  const does = command.commands.length > 0 ? 'lists the commands' : 'explains the command';
  command.exitOverride().configureOutput({
    writeErr: usageError,
    outputError: (text, write) => write(`${text.trimEnd()}\n→ ${path} --help ${does}.\n`),
  });
  for (const inner of command.commands) throwInsteadOfExit(inner, usageError, `${path} ${inner.name()}`);
}

/**
 * The command line of `patina`: each command passes its work to `run`, with the parsed global options. Help
 * goes to standard output, usage errors to `usageError`.
 */
export function createProgram(
  version: string,
  run: (work: Work, options: GlobalOptions, refusedWork?: RefusedWork) => Promise<void>,
  usageError: (text: string) => void,
  showHelp: ShowHelp,
): Command {
  const program = new Command('patina')
    .version(version)
    .description('Chat with a model, or let it run a plan that you can read first.')
    .option('--home <dir>', 'where Patina stores its files (PATINA_HOME)')
    .option('--project <dir>', 'the project folder')
    .option('--json', 'print exactly one JSON document');
  const start = (work: Work, refusedWork?: RefusedWork): Promise<void> =>
    run(work, program.opts<GlobalOptions>(), refusedWork);
  addModelCommands(program, start);
  addControlCommands(program, start);
  addRecipeCommands(program, start);
  addSessionCommands(program, start);
  addInstructions(program, start);
  addArtifactCommands(program, start);
  addWorkspaceCommands(program, start);
  addWorkflowCommands(program, start);
  addPackCommands(program, start);
  addProviderCommands(program, start);
  addLocalModelCommands(program, start);
  addUsageCommands(program, start);
  addServerCommands(program, start);
  addInspection(program, start);
  addHelp(program, showHelp);
  throwInsteadOfExit(program, usageError);
  return program;
}
