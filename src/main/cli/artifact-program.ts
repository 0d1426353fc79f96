import type { Command } from 'commander';
import { artifactListCommand, artifactShowCommand, type ArtifactShowOptions } from './commands/artifact';
import type { Work } from './work';

/** `patina artifact …`: values that runs store outside the model's context. */
export function addArtifactCommands(program: Command, run: (work: Work) => Promise<void>): void {
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
