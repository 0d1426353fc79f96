import { Command, Option } from 'commander';
import { addArtifactCommands } from './artifact-program';
import { agentCommand, type AgentOptions } from './commands/agent';
import { askCommand, type AskOptions } from './commands/ask';
import { chatCommand } from './commands/chat';
import { doctorCommand, doctorOfRefusedStart } from './commands/doctor';
import { execCommand } from './commands/exec';
import type { HelpRequest } from './commands/help';
import { modesCommand } from './commands/modes';
import { promptCommand, type PromptOptions } from './commands/prompt';
import {
  recipeListCommand,
  recipeRunCommand,
  recipeSaveCommand,
  type RecipeRunOptions,
  type RecipeSaveOptions,
} from './commands/recipe';
import { routeCommand, type RouteOptions } from './commands/route';
import {
  sessionDeleteCommand,
  sessionEventsCommand,
  sessionExportCommand,
  sessionListCommand,
  sessionReplayCommand,
  sessionShowCommand,
  type ExportFormat,
} from './commands/session';
import { sessionCopiesCommand, sessionRepairCommand, sessionRestoreCommand } from './commands/session-repair';
import { toolCommand, type ToolOptions } from './commands/tool';
import { toolsCommand, type ToolsOptions } from './commands/tools';
import { addWorkspaceCommands, withOverrides } from './workspace-program';
import type { RefusedWork, Work } from './work';
import { addWorkflowCommands } from './workflow-program';

export interface GlobalOptions {
  readonly home?: string;
  readonly project?: string;
  readonly json?: boolean;
}

const approve = (): Option =>
  new Option('--approve <policy>', 'who answers for writes; default: ask at a terminal, else none').choices([
    'all',
    'none',
    'ask',
  ]);
const collect = (value: string, all: readonly string[]): readonly string[] => [...all, value];

function addModelCommands(program: Command, run: (work: Work) => Promise<void>): void {
  withOverrides(program.command('ask'))
    .argument('<text>')
    .option('--session <id>', 'go on with a session')
    .option('--tools', 'offer the tools of servers to the model, for this line')
    .description('send a line to the model')
    .action((text: string, options: AskOptions) =>
      run((app, terminal) => askCommand(app, terminal, text, options)),
    );
  withOverrides(program.command('agent'))
    .argument('<goal>')
    .option('--plan <file>', 'run this plan; no model is asked')
    .option('--fresh', 'make every read anew, whatever is known of it')
    .option('--plan-anew', 'ask the model although an earlier plan of this goal is known')
    .option('--session <id>', 'go on with a session')
    .addOption(approve())
    .description('reach a goal in Agent Mode')
    .action((goal: string, options: AgentOptions) =>
      run((app, terminal) => agentCommand(app, terminal, goal, options)),
    );
  program
    .command('chat')
    .option('--session <id>', 'go on with a session')
    .description('talk in the terminal')
    .action((options: { session?: string }) =>
      run((app, terminal) => chatCommand(app, terminal, options.session)),
    );
  withOverrides(program.command('prompt'))
    .option('--session <id>', 'as this session would send it')
    .option('--mode <key>', 'as in this mode')
    .addOption(new Option('--run-mode <mode>').choices(['ask', 'agent']))
    .option('--tools', 'as with the tools of servers in Ask')
    .description('show what the model would be sent')
    .action((options: PromptOptions) => run((app, terminal) => promptCommand(app, terminal, options)));
}

function addControlCommands(program: Command, run: (work: Work) => Promise<void>): void {
  program
    .command('route')
    .argument('<text>', 'a line of input, or - to read lines from standard input')
    .option('--mode <key>', 'as in this mode')
    .option('--session <id>', 'as in this session')
    .option('--roles <names>', 'roles, separated by commas')
    .option('--no-ui', 'as where no picker can be shown')
    .description('show how a line would be routed; changes nothing')
    .action((text: string, options: RouteOptions) =>
      run((app, terminal) => routeCommand(app, terminal, text, options)),
    );
  program
    .command('tool')
    .argument('<name>')
    .argument('[json]', 'the arguments, or - to read them from standard input', '{}')
    .option('--mode <key>', 'as a model in this mode')
    .option('--session <id>', 'in this session')
    .addOption(approve())
    .description('call a tool of the host as a model would')
    .action((name: string, argumentsJson: string, options: ToolOptions) =>
      run((app, terminal) => toolCommand(app, terminal, { name, argumentsJson }, options)),
    );
}

function addRecipeCommands(program: Command, run: (work: Work) => Promise<void>): void {
  const recipe = program.command('recipe').description('plans that run with no model');
  recipe
    .command('list')
    .description('list them')
    .action(() => run(recipeListCommand));
  recipe
    .command('save')
    .argument('<session>', 'the session whose newest run is kept')
    .requiredOption('--id <id>', 'like count_todos')
    .option('--title <text>', 'what people read; the goal unless said otherwise')
    .option('--description <text>', 'what it does, for whoever chooses it')
    .option('--turn <number>', 'the run of this line, counted from 0')
    .option('--name <old=new>', 'another name for a parameter; repeat for more', collect, [])
    .option(
      '--param <name>',
      'a value that becomes a parameter; repeat for more; those the goal names when there is none',
      collect,
      [],
    )
    .description('keep a run as a recipe: the values its goal names become parameters')
    .action((session: string, options: RecipeSaveOptions) =>
      run((app, terminal) => recipeSaveCommand(app, terminal, session, options)),
    );
  recipe
    .command('run')
    .argument('<id>')
    .option('--param <name=value>', 'a parameter; repeat for more', collect, [])
    .option('--session <id>', 'go on with a session')
    .addOption(approve())
    .option('--fresh', 'make every read anew, whatever is known of it')
    .description('run one')
    .action((id: string, options: RecipeRunOptions) =>
      run((app, terminal) => recipeRunCommand(app, terminal, id, options)),
    );
}

function addSessionCommands(program: Command, run: (work: Work) => Promise<void>): void {
  const session = program.command('session').description('look at sessions, repair, restore or delete them');
  session
    .command('list')
    .description('list them')
    .action(() => run(sessionListCommand));
  const readers = { show: sessionShowCommand, events: sessionEventsCommand, replay: sessionReplayCommand };
  const texts = { show: 'its state', events: 'its events', replay: 'fold its events anew and compare' };
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
    .addOption(new Option('--format <format>').choices(['md', 'json']).default('md'))
    .description('write it out')
    .action((id: string, options: { format: ExportFormat }) =>
      run((app, terminal) => sessionExportCommand(app, terminal, id, options.format)),
    );
  session
    .command('repair')
    .argument('[id]')
    .description('put back damaged and missing events of a session, or of every damaged one')
    .action((id?: string) => run((app, terminal) => sessionRepairCommand(app, terminal, id)));
  session
    .command('copies')
    .description('list the daily copies of the sessions file')
    .action(() => run(sessionCopiesCommand));
  session
    .command('restore')
    .argument('<copy>', 'a name of patina session copies')
    .option('--session <id>', 'this session alone')
    .description('bring back what a copy has and the sessions file lacks')
    .action((copy: string, options: { session?: string }) =>
      run((app, terminal) => sessionRestoreCommand(app, terminal, copy, options)),
    );
  session
    .command('delete')
    .argument('<id>')
    .option('--yes', 'do not ask')
    .description('delete it for good')
    .action((id: string, options: { yes?: boolean }) =>
      run((app, terminal) => sessionDeleteCommand(app, terminal, id, options)),
    );
}

function addInspection(
  program: Command,
  run: (work: Work, refusedWork?: RefusedWork) => Promise<void>,
): void {
  program
    .command('doctor')
    .description('check configuration, servers, provider and sandbox')
    .action(() => run(doctorCommand, doctorOfRefusedStart));
  program
    .command('modes')
    .description('list the modes a session can be in')
    .action(() => run(modesCommand));
  program
    .command('exec')
    .option('--unit <file>', 'read the unit from this file instead of standard input')
    .description('run one ExecutionUnit in the sandbox')
    .action((options: { unit?: string }) => run((app, terminal) => execCommand(app, terminal, options.unit)));
  program
    .command('tools')
    .option('--search <text>', 'only tools that hold these words')
    .option('--signatures', 'as the model sees them')
    .option('--grants', 'your standing answers to approvals, instead of the tools')
    .option('--accept <name>', 'show how a tool changed, and accept it as it is now')
    .option('--revoke <id>', 'take a standing answer back')
    .option('--allow <server>', 'allow the tools of a server in this project')
    .description('what a script may call')
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

/** Turns commander's own exits into errors, at every depth: the entry point decides the exit code. */
function throwInsteadOfExit(command: Command, usageError: (text: string) => void): void {
  command.exitOverride().configureOutput({ writeErr: usageError });
  for (const inner of command.commands) throwInsteadOfExit(inner, usageError);
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
    .description('Chat with a model, or let it run a plan you can read first.')
    .option('--home <dir>', 'where Patina keeps its files (PATINA_HOME)')
    .option('--project <dir>', 'the project folder')
    .option('--json', 'exactly one JSON document on standard output');
  const start = (work: Work, refusedWork?: RefusedWork): Promise<void> =>
    run(work, program.opts<GlobalOptions>(), refusedWork);
  addModelCommands(program, start);
  addControlCommands(program, start);
  addRecipeCommands(program, start);
  addSessionCommands(program, start);
  addArtifactCommands(program, start);
  addWorkspaceCommands(program, start);
  addWorkflowCommands(program, start);
  addInspection(program, start);
  addHelp(program, showHelp);
  throwInsteadOfExit(program, usageError);
  return program;
}
