/**
 * The files that a mutation run changes, and the tests that must detect it.
 * @type {Record<'tools' | 'approvals' | 'agent' | 'workflows' | 'storage', {mutate: string[], tests: string[]}>}
 */
export const PARTS = {
  tools: { mutate: ['src/core/tools/*.ts'], tests: ['src/core/tools/*.test.ts'] },
  approvals: {
    mutate: [
      'src/core/tools/{approvals,call-tool,gate,grants,grant-registry}.ts',
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
