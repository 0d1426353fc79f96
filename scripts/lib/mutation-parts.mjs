import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import ts from 'typescript';
import { fromRoot } from './paths.mjs';

/**
 * The files that a mutation run changes, and the tests that must detect it.
 * @type {Record<'tools' | 'approvals' | 'agent' | 'workflows' | 'storage', {mutate: string[], tests: string[]}>}
 */
export const PARTS = {
  tools: { mutate: ['src/core/tools/*.ts'], tests: ['src/core/tools/*.test.ts'] },
  approvals: {
    mutate: [
      ...['approvals', 'call-tool', 'gate', 'grants', 'grant-registry'].map(
        (name) => `src/core/tools/${name}.ts`,
      ),
      'src/main/cli/ask-approval.ts',
    ],
    tests: ['src/core/{tools,agent}/*.test.ts', 'src/main/cli/*.test.ts'],
  },
  agent: { mutate: ['src/core/agent/*.ts'], tests: ['src/core/agent/*.test.ts'] },
  workflows: {
    mutate: ['src/core/workflows/**/*.ts'],
    tests: ['src/core/workflows/**/*.test.ts', 'src/main/flows/*workflow*.test.ts'],
  },
  storage: {
    mutate: ['src/main/adapters/storage/*.ts'],
    tests: ['src/main/adapters/storage/*.test.ts', 'src/core/session/*.test.ts'],
  },
};

/** @typedef {keyof typeof PARTS} Part */

/** @param {string} name @returns {name is Part} */
export const isPart = (name) => name in PARTS;

/** The part this process measures: `PATINA_MUTATION_PART`, or the gate's folder. @returns {Part} */
export function chosenPart() {
  const name = process.env.PATINA_MUTATION_PART || 'tools';
  if (!isPart(name)) throw new Error(`PATINA_MUTATION_PART must be one of ${Object.keys(PARTS).join(', ')}`);
  return name;
}

/**
 * What to mutate when only one in `oneIn` top-level statements of a part is measured: always the same ones,
 * spread evenly over its files. A range starts and ends with its statement, so no mutant is cut off.
 * @param {Part} part @param {number} oneIn @returns {string[]} `file:line:column-line:column`
 */
export function sampledRanges(part, oneIn) {
  const patterns = PARTS[part].mutate.map((pattern) => `:(glob)${pattern}`);
  const files = execFileSync('git', ['ls-files', ...patterns], { cwd: fromRoot('.'), encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && !file.endsWith('.test.ts'));
  const ranges = files.flatMap((file) => {
    const source = ts.createSourceFile(file, fs.readFileSync(fromRoot(file), 'utf8'), ts.ScriptTarget.Latest);
    /** @param {number} position */
    const at = (position) => {
      const { line, character } = source.getLineAndCharacterOfPosition(position);
      return `${line + 1}:${character}`;
    };
    return source.statements
      .filter((each) => ts.isVariableStatement(each) || ts.isFunctionDeclaration(each))
      .map((each) => `${file}:${at(each.getStart(source))}-${at(each.end)}`);
  });
  return ranges.filter((_range, index) => index % oneIn === Math.floor(oneIn / 2));
}
