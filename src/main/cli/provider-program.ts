import { InvalidArgumentError, Option, type Command } from 'commander';
import { WireName } from '#shared/model';
import {
  providerAddCommand,
  providerKeyCommand,
  providerListCommand,
  providerOffersCommand,
  providerRemoveCommand,
  providerSetCommand,
  type ProviderOptions,
} from './commands/provider';
import type { Work } from './work';

const collect = (value: string, all: readonly string[] = []): readonly string[] => [...all, value];

function seconds(value: string): number | null {
  if (value === '') return null;
  const parsed = Number(value);
  if (!Number.isInteger(parsed) || parsed < 1 || parsed > 3600)
    throw new InvalidArgumentError('Give whole seconds from 1 to 3600, or "" for the usual time.');
  return parsed;
}

/** Adds the options that describe a provider; an empty value removes what it names. */
const described = (command: Command): Command =>
  command
    .option('--name <name>', 'name in lists')
    .option('--url <address>', 'base URL')
    .addOption(
      new Option('--wire <protocol>', 'protocol (default: detected from the address)').choices([
        ...WireName.options,
        'detected',
      ]),
    )
    .option('--model <name>', 'a model that the server does not list (repeatable)', collect)
    .option('--header <line>', '"Name: value", sent with every request (repeatable)', collect)
    .option('--organization <id>', 'sent as OpenAI-Organization')
    .option('--first <seconds>', 'how long a reply may take to start', seconds)
    .option('--idle <seconds>', 'how long a reply may pause', seconds)
    .option('--proxy <address>', 'HTTP proxy for the requests')
    .option('--key-variable <name>', 'environment variable that holds the key');

/** `patina provider …`: sets model providers up without a window. */
export function addProviderCommands(program: Command, run: (work: Work) => Promise<void>): void {
  const provider = program.command('provider').description('set up model providers');
  provider
    .command('list')
    .description('list the providers of providers.json, without their keys')
    .action(() => run(providerListCommand));
  provider
    .command('known')
    .description('list the providers that Patina knows, and the variables that hold a key for them')
    .action(() => run(providerOffersCommand));
  described(provider.command('add'))
    .argument('[known]', 'id of a known provider; without it, give --name and --url')
    .description('add a provider')
    .action((known: string | undefined, options: ProviderOptions) =>
      run((app, terminal) => providerAddCommand(app, terminal, known, options)),
    );
  described(provider.command('set'))
    .argument('<id>')
    .description('change a provider; the options you leave out stay unchanged')
    .action((id: string, options: ProviderOptions) =>
      run((app, terminal) => providerSetCommand(app, terminal, id, options)),
    );
  provider
    .command('key')
    .argument('<id>')
    .description('store a key, read from one line of standard input, in a file that only you can read')
    .action((id: string) => run((app, terminal) => providerKeyCommand(app, terminal, id)));
  provider
    .command('remove')
    .argument('<id>')
    .description('remove a provider and its key')
    .action((id: string) => run((app, terminal) => providerRemoveCommand(app, terminal, id)));
}
