// The conformance suite imports a function from `fs` that Node has since version 22, but calls it only for
// reports on repositories, which are not used here. With this stub it also runs on the Node version that
// Patina is built with.
import * as fs from 'node:fs';
import { register } from 'node:module';

const stand = "export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = () => [];";
const shim = `data:text/javascript,${encodeURIComponent(stand)}`;
const hook = `export const resolve = (name, context, next) =>
  name === 'fs' && context.parentURL?.includes('/conformance/')
    ? { url: ${JSON.stringify(shim)}, shortCircuit: true }
    : next(name, context);`;

if (!('globSync' in fs)) register(`data:text/javascript,${encodeURIComponent(hook)}`);
