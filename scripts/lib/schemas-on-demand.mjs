import { parseAst } from 'vite';

const schemaFile = /[\\/]src[\\/]shared[\\/][^?]+\.ts$/;

/**
 * A schema is a declaration, but a bundler sees calls with possible side effects and keeps them all. This
 * marks the computed constants of `src/shared` as free of side effects, so that the window, which imports
 * types and a few plain functions from there, contains neither schemas nor the schema package.
 * @returns {import('vite').Plugin}
 */
export function schemasOnDemand() {
  return {
    name: 'schemas-on-demand',
    enforce: 'post',
    transform: (code, id) => (schemaFile.test(id) ? { code: withPureConstants(code), map: null } : null),
  };
}

/**
 * @param {string} code plain JavaScript
 * @returns {string} the same code, with each computed constant wrapped in a removable call
 */
export function withPureConstants(code) {
  /** @type {{ start: number, end: number }[]} */
  const computed = parseAst(code).body.flatMap((statement) => {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declared?.type !== 'VariableDeclaration' || declared.kind !== 'const') return [];
    return declared.declarations.flatMap(({ init }) =>
      init?.type === 'CallExpression' || init?.type === 'ObjectExpression' ? [init] : [],
    );
  });
  return computed.reduceRight(
    (text, { start, end }) =>
      `${text.slice(0, start)}/* @__PURE__ */ (() => (${text.slice(start, end)}))()${text.slice(end)}`,
    code,
  );
}
