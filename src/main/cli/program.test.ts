import { expect, it } from 'vitest';
import { createProgram } from './program';

/** What the command line prints for wrong arguments. */
async function usageErrorOf(...args: readonly string[]): Promise<string> {
  const unused = () => Promise.resolve();
  let printed = '';
  const program = createProgram('0', unused, (text) => (printed += text), unused);
  await expect(program.parseAsync([...args], { from: 'user' })).rejects.toThrow();
  return printed;
}

it.each([
  [['undo'], "error: missing required argument 'run'\n→ patina undo --help explains the command.\n"],
  [
    ['session', 'show', '--nothing'],
    "error: unknown option '--nothing'\n→ patina session show --help explains the command.\n",
  ],
  [
    ['sesion'],
    "error: unknown command 'sesion'\n(Did you mean session?)\n→ patina --help lists the commands.\n",
  ],
  [['usage', '--limit', 'much'], /\n→ patina usage --help explains the command\.\n$/],
])('wrong arguments of %j name the help that explains them', async (args, text) => {
  expect(await usageErrorOf(...args)).toMatch(text);
});
