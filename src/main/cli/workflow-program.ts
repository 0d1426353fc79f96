import type { Command } from 'commander';
import {
  workflowHistoryCommand,
  workflowListCommand,
  workflowReloadCommand,
  workflowRemoveCommand,
} from './commands/workflow';
import {
  workflowCheckCommand,
  workflowDiffCommand,
  workflowNewCommand,
  workflowPublishCommand,
  workflowShowCommand,
  workflowTryCommand,
  type PublishOptions,
  type TryOptions,
} from './commands/workflow-file';
import { workflowStartCommand, type WorkflowStartOptions } from './commands/workflow-start';
import type { Work } from './work';

const collect = (value: string, all: readonly string[]): readonly string[] => [...all, value];

/** The commands for definitions in files, which can be edited, reviewed and checked like code. */
function addFileCommands(workflow: Command, run: (work: Work) => Promise<void>): void {
  workflow
    .command('show')
    .argument('<id>')
    .option('--draft', 'the draft instead of the published definition')
    .description('print the definition of a workflow')
    .action((id: string, options: { draft?: boolean }) =>
      run((app, terminal) => workflowShowCommand(app, terminal, id, options)),
    );
  workflow
    .command('new')
    .argument('<id>', 'id of the workflow, like prepare_release')
    .option('--file <file>', 'the file to write (default: ID.json)')
    .option('--ddr <id>', 'the design record that will approve it')
    .description('write a definition to edit')
    .action((id: string, options: { file?: string; ddr?: string }) =>
      run((_app, terminal) => workflowNewCommand(terminal, id, options)),
    );
  workflow
    .command('check')
    .argument('<file...>', 'definitions, as patina workflow show prints them')
    .description('check definitions without storing them')
    .action((files: readonly string[]) => run((app, terminal) => workflowCheckCommand(app, terminal, files)));
  workflow
    .command('diff')
    .argument('<file>')
    .description('show what publishing a definition would change, and the version it needs')
    .action((file: string) => run((app, terminal) => workflowDiffCommand(app, terminal, file)));
  workflow
    .command('try')
    .argument('<sentence...>')
    .option('--file <file>', 'try this definition instead of the published one')
    .option('--expect <id>', 'fail when a sentence starts another workflow; none: when it starts one')
    .description('show which workflow each sentence would start, without starting it')
    .action((sentences: readonly string[], options: TryOptions) =>
      run((app, terminal) => workflowTryCommand(app, terminal, sentences, options)),
    );
  workflow
    .command('publish')
    .argument('<file>')
    .requiredOption('--reason <text>', 'reason, recorded in the history')
    .option('--yes', 'publish without asking')
    .description('publish a definition after you approved the difference')
    .action((file: string, options: PublishOptions) =>
      run((app, terminal) => workflowPublishCommand(app, terminal, file, options)),
    );
}

/** `patina workflow …`: manages published workflows without a window. */
export function addWorkflowCommands(program: Command, run: (work: Work) => Promise<void>): void {
  const workflow = program
    .command('workflow')
    .description('manage workflows: scripts for a model that Patina enforces');
  workflow
    .command('list')
    .description('list the published workflows and the drafts')
    .action(() => run(workflowListCommand));
  addFileCommands(workflow, run);
  workflow
    .command('start')
    .argument('<id>', 'id of a published workflow')
    .option('--input <name=value>', 'answer a question of the workflow (repeatable)', collect, [])
    .option('--session <id>', 'in this session (default: a new one)')
    .description('start a workflow, ask for what it needs and print the first reply')
    .action((id: string, options: WorkflowStartOptions) =>
      run((app, terminal) => workflowStartCommand(app, terminal, id, options)),
    );
  workflow
    .command('history')
    .argument('<id>')
    .description('list the versions of a workflow, with approver and reason')
    .action((id: string) => run((app, terminal) => workflowHistoryCommand(app, terminal, id)));
  workflow
    .command('reload')
    .argument('<session>', 'id of a session without a running workflow')
    .description('switch a session to the published versions')
    .action((id: string) => run((app, terminal) => workflowReloadCommand(app, terminal, id)));
  workflow
    .command('remove')
    .argument('<id>', 'id of a disabled workflow')
    .requiredOption('--reason <text>', 'reason, recorded in the history')
    .description('remove a disabled workflow from the registry')
    .action((id: string, { reason }: { reason: string }) =>
      run((app, terminal) => workflowRemoveCommand(app, terminal, { workflowId: id, reason })),
    );
}
