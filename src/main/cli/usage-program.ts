import { InvalidArgumentError, Option, type Command } from 'commander';
import { UsageBy } from '#shared/usage-report';
import { priceSetCommand, pricesCommand, usageCommand, type UsageOptions } from './commands/usage';
import type { Work } from './work';

function amount(value: string): number {
  const dollars = Number(value);
  if (value.trim() === '' || !(dollars >= 0 && dollars <= 1_000_000))
    throw new InvalidArgumentError('Give US dollars from 0 to 1000000.');
  return dollars;
}

/** An amount without fractions of a cent. */
function dollarsAndCents(value: string): number {
  const dollars = amount(value);
  if (!/^\s*\d+(\.\d{1,2})?\s*$/.test(value))
    throw new InvalidArgumentError('Give US dollars and cents, such as 12.50; 0 removes the limit.');
  return dollars;
}

function day(value: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) throw new InvalidArgumentError('Give a day as YYYY-MM-DD.');
  return value;
}

interface PriceOptions {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
  readonly cacheWrite?: number;
}

/** `patina usage` and `patina prices`: what model calls cost. */
export function addUsageCommands(program: Command, run: (work: Work) => Promise<void>): void {
  program
    .command('usage')
    .addOption(new Option('--by <what>', 'one line for each').choices(UsageBy.options).default('day'))
    .option('--from <day>', 'the first day (default: the first of this month)', day)
    .option('--to <day>', 'the last day (default: today)', day)
    .option('--limit <dollars>', 'set the monthly limit; 0 removes it', dollarsAndCents)
    .addOption(
      new Option('--at-limit <action>', 'at the limit: only warn, or stop sending').choices(['warn', 'stop']),
    )
    .description('show the tokens and the cost of model calls, and set the monthly limit')
    .action((options: UsageOptions) => run((app, terminal) => usageCommand(app, terminal, options)));
  const prices = program.command('prices').description('list and set the prices of models');
  prices
    .command('list', { isDefault: true })
    .option('--search <words>', 'only models with these words in their names')
    .description('list the prices with their dates and sources')
    .action((options: { search?: string }) => run((app, terminal) => pricesCommand(app, terminal, options)));
  prices
    .command('set')
    .argument('<model>', 'as PROVIDER/MODEL')
    .requiredOption('--input <dollars>', 'per million input tokens', amount)
    .requiredOption('--output <dollars>', 'per million output tokens', amount)
    .option('--cached <dollars>', 'per million input tokens from the cache', amount)
    .option('--cache-write <dollars>', 'per million input tokens written to the cache', amount)
    .description('set the price of a model')
    .action((model: string, { input, output, cached, cacheWrite }: PriceOptions) => {
      const price = {
        input,
        output,
        ...(cached !== undefined && { cachedInput: cached }),
        ...(cacheWrite !== undefined && { cacheWrite }),
      };
      return run((app, terminal) => priceSetCommand(app, terminal, model, price));
    });
  prices
    .command('remove')
    .argument('<model>', 'as PROVIDER/MODEL')
    .description('remove the price that you set for a model')
    .action((model: string) => run((app, terminal) => priceSetCommand(app, terminal, model, null)));
}
