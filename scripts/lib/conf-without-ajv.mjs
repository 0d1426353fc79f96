const conf = /[\\/]node_modules[\\/]conf[\\/]/;
const validators = /'ajv\/dist\/2020\.js'|'ajv-formats'/g;
const absent = 'virtual:no-validator';
const source = `
export class Ajv2020 {
  constructor() {
    throw new Error('conf was built without its validator.');
  }
}
export default { default: () => undefined };
`;

/**
 * `conf` loads a JSON Schema validator of a hundred files at every start, for callers who pass a schema.
 * Patina validates its settings itself, so this omits the validator; passing a schema anyway fails
 * immediately.
 * @returns {import('vite').Plugin}
 */
export function confWithoutAjv() {
  return {
    name: 'conf-without-ajv',
    enforce: 'pre',
    resolveId: (name) => (name === absent ? `\0${absent}` : null),
    load: (id) => (id === `\0${absent}` ? source : null),
    transform: (code, id) =>
      conf.test(id) ? { code: code.replaceAll(validators, `'${absent}'`), map: null } : null,
  };
}
