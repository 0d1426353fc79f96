import type { Command } from 'commander';
import { artifactListCommand, artifactShowCommand, type ArtifactShowOptions } from './commands/artifact';
import type { Work } from './work';

/** `patina artifact …`: values that runs store outside the model's context. */
export function addArtifactCommands(program: Command, run: (work: Work) => Promise<void>): void {
  const artifact = program.command('artifact').description('what runs keep outside the conversation');
  artifact
    .command('list')
    .description('list those of the project folder, the newest first')
    .action(() => run(artifactListCommand));
  artifact
    .command('show')
    .argument('<handle>', 'artifact://sha256/…')
    .option('--from <line>', 'from this line on, counted from 1')
    .option('--to <line>', 'up to this line')
    .option('--grep <text>', 'only lines that hold this text, with their numbers')
    .description('print one, or a part of it')
    .action((handle: string, options: ArtifactShowOptions) =>
      run((app, terminal) => artifactShowCommand(app, terminal, handle, options)),
    );
}
