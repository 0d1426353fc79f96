import { Command } from 'commander';
import { expect, it } from 'vitest';
import { addUsageCommands } from './usage-program';

/** Parses `patina usage --limit VALUE`; returns why it was refused, or null. */
async function limit(value: string): Promise<string | null> {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  addUsageCommands(program, () => Promise.resolve());
  for (const command of program.commands) command.copyInheritedSettings(program);
  try {
    await program.parseAsync(['usage', '--limit', value], { from: 'user' });
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

it.each(['0', '20', '12.5', '12.50', '0.29'])('[USE-limit] takes dollars and cents: %s', async (value) => {
  expect(await limit(value)).toBeNull();
});

it.each(['12.345', '1e3', '-1', 'ten', ''])('[USE-limit] refuses %s', async (value) => {
  expect(await limit(value)).toMatch(/Give US dollars/);
});
