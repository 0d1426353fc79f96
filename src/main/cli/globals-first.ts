const withValue = new Set(['--home', '--project']);

/**
 * Moves global options to the front, where commander expects them, so that users can write them anywhere;
 * everything after `--` is text.
 */
export function globalsFirst(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  const last = end === -1 ? argv.length : end;
  const taken = new Set<number>();
  for (let index = 0; index < last; index += 1) {
    const word = argv[index] ?? '';
    if (withValue.has(word)) taken.add(index).add((index += 1));
    else if (word === '--json' || /^--(home|project)=/.test(word)) taken.add(index);
  }
  return [...argv.filter((_, index) => taken.has(index)), ...argv.filter((_, index) => !taken.has(index))];
}
