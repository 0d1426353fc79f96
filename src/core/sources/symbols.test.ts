import { describe, expect, it } from 'vitest';
import { definedName, definitionPattern, symbolText } from './symbols';

const typescript = `import { a } from './a';
/** About it. */
export async function loadRows<T>(rows: readonly T[]): Promise<T[]> {
  return [...rows].map((loadRow) => loadRow);
}
export class Store {
  static loadAll(): void {}
}
const loadOne = (id: string) => <T,>(x: T) => x, other = 1;
interface LoadState { loaded: boolean }
`;
const python = `import os

@cached
async def load_rows(path):
    return os.path

class Loader:
    def load_one(self):
        return 1
`;
const at = (path: string, line: number, name: string) => ({ path, line, name });

describe('[ITEM-symbol] a symbol', () => {
  it('is its whole definition in TypeScript, JavaScript and Python', async () => {
    expect(await symbolText(typescript, at('a.ts', 3, 'loadRows'))).toBe(
      typescript.split('\n').slice(2, 5).join('\n'),
    );
    expect(await symbolText(typescript, at('a.ts', 7, 'loadAll'))).toBe('static loadAll(): void {}');
    expect(await symbolText(typescript, at('a.ts', 10, 'LoadState'))).toBe(
      'interface LoadState { loaded: boolean }',
    );
    expect(await symbolText(typescript, at('a.ts', 9, 'loadOne'))).toContain('other = 1;');
    expect(
      await symbolText('export default class App { run() { return <b>x</b>; } }', at('a.jsx', 1, 'App')),
    ).toBe('export default class App { run() { return <b>x</b>; } }');
    expect(await symbolText(python, at('a.py', 4, 'load_rows'))).toBe(
      '@cached\nasync def load_rows(path):\n    return os.path\n',
    );
    expect(await symbolText(python, at('a.py', 8, 'load_one'))).toContain('return 1');
  });

  it('is found again after it moved, and not where only its name is used', async () => {
    expect(await symbolText(`\n\n\n${typescript}`, at('a.ts', 3, 'loadRows'))).toContain(
      'export async function',
    );
    expect(
      await symbolText('loadRows(); // loadRows\nconst x = "loadRows";', at('a.ts', 1, 'loadRows')),
    ).toBeNull();
    expect(await symbolText('fn load_rows() {\n  1\n}', at('a.rs', 1, 'load_rows'))).toBe(
      'fn load_rows() {\n  1\n}',
    );
    expect(await symbolText('let y = 1;', at('a.rs', 1, 'load_rows'))).toBeNull();
  });

  it('is found by its defining lines, in any language, for words that begin a name', () => {
    const names = (lines: readonly string[], typed: string) => lines.map((line) => definedName(line, typed));
    expect(
      names(
        [
          'export async function loadRows() {',
          '  def load_rows(self):',
          'pub(crate) fn loader<T>() {',
          'func (s *Store) LoadAll() error {',
          'type loadState struct {',
          'const loaded = load(1);',
          'return loadRows();',
        ],
        'load',
      ),
    ).toEqual(['loadRows', 'load_rows', 'loader', null, 'loadState', 'loaded', null]);
    for (const typed of ['', 'lo', 'a b', 'x.*', 'src/a']) expect(definitionPattern(typed)).toBeNull();
    expect(definedName('const $load = 1', '$lo')).toBe('$load');
  });
});
