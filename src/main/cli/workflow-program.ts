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
  const workflow = program
    .command('workflow')
    .description('manage workflows: scripts for a model that Patina enforces');
  workflow
    .command('list')
    .description('list the published workflows and the drafts')
    .action(() => run(workflowListCommand));
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
