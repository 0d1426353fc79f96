import type { Command } from 'commander';
import { packInstallCommand, packListCommand, packRemoveCommand } from './commands/pack';
import type { Work } from './work';

/** `patina pack …`: lists, installs and removes packs without a window. */
export function addPackCommands(program: Command, run: (work: Work) => Promise<void>): void {
  const pack = program.command('pack').description('manage packs: folders of data that add to Patina');
  pack
    .command('list')
    .description('list the installed packs and their problems')
    .action(() => run(packListCommand));
  pack
    .command('install')
    .argument('<folder>', 'the folder that contains pack.json')
    .description('install a pack, or replace it with another version')
    .action((folder: string) => run((app, terminal) => packInstallCommand(app, terminal, folder)));
  pack
    .command('remove')
    .argument('<id>', 'id of the pack')
    .description('remove a pack; its files are moved aside')
    .action((id: string) => run((app, terminal) => packRemoveCommand(app, terminal, id)));
}
