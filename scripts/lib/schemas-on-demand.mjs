import { parseAst } from 'vite';

const schemaFile = /[\\/]src[\\/]shared[\\/][^?]+\.ts$/;

/**
 * A schema is a declaration, but a bundler sees calls that might do anything and keeps them all. This marks what the files
 * of `src/shared` compute for their constants as without effect, so that the window, which takes types and a few plain
 * functions from them, carries neither schemas nor the package that makes them.
 * @returns {import('vite').Plugin}
 */
export function schemasOnDemand() {
  return {
    name: 'schemas-on-demand',
    enforce: 'post',
    transform: (code, id) => (schemaFile.test(id) ? { code: withPureConstants(code), map: null } : null),
  };
}

/** @param {string} code plain JavaScript @returns {string} the same, with each computed constant in a call that may be left out */
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
