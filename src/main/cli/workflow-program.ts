import type { Command } from 'commander';
import {
  workflowHistoryCommand,
  workflowListCommand,
  workflowReloadCommand,
  workflowRemoveCommand,
} from './commands/workflow';
import type { Work } from './work';

/** `patina workflow …`: manages published workflows without a window. */
export function addWorkflowCommands(program: Command, run: (work: Work) => Promise<void>): void {
  const workflow = program.command('workflow').description('scripts for a model that the host holds it to');
  workflow
    .command('list')
    .description('published workflows and drafts')
    .action(() => run(workflowListCommand));
  workflow
    .command('history')
    .argument('<id>')
    .description('its versions, with who let each in and why')
    .action((id: string) => run((app, terminal) => workflowHistoryCommand(app, terminal, id)));
  workflow
    .command('reload')
    .argument('<session>', 'id of a session in which no workflow runs')
    .description('have a session work with what is published now')
    .action((id: string) => run((app, terminal) => workflowReloadCommand(app, terminal, id)));
  workflow
    .command('remove')
    .argument('<id>', 'a workflow whose published version is disabled')
    .requiredOption('--reason <text>', 'why; it stays in the history')
    .description('take a disabled workflow out of the registry')
    .action((id: string, { reason }: { reason: string }) =>
      run((app, terminal) => workflowRemoveCommand(app, terminal, { workflowId: id, reason })),
    );
}
