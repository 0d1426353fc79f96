import type { Command } from 'commander';
import {
  modelDownloadCommand,
  modelImportCommand,
  modelListCommand,
  modelRemoveCommand,
} from './commands/model';
import type { Work } from './work';

/** `patina model …`: the models that run on this computer, in a process of Patina's own. */
export function addLocalModelCommands(program: Command, run: (work: Work) => Promise<void>): void {
  const model = program.command('model').description('set up models that run on this computer');
  model
    .command('list')
    .description('list the models on this computer')
    .action(() => run(modelListCommand));
  model
    .command('import')
    .argument('<file>', 'a GGUF file')
    .description('copy a model to this computer')
    .action((file: string) => run((app, terminal) => modelImportCommand(app, terminal, file)));
  model
    .command('download')
    .option('--from <address>', 'a mirror: an address with the same files')
    .description('download the small model that Patina offers')
    .action((options: { from?: string }) =>
      run((app, terminal) => modelDownloadCommand(app, terminal, options)),
    );
  model
    .command('remove')
    .argument('<name>')
    .description('delete the file of a model')
    .action((name: string) => run((app, terminal) => modelRemoveCommand(app, terminal, name)));
}
