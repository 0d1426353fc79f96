// The conformance suite asks `fs` for a function that Node has since version 22, and calls it only to report on
// repositories, which is not done here. With this it also runs on the Node that Patina is built with.
import * as fs from 'node:fs';
import { register } from 'node:module';

const stand = "export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = () => [];";
const shim = `data:text/javascript,${encodeURIComponent(stand)}`;
const hook = `export const resolve = (name, context, next) =>
  name === 'fs' && context.parentURL?.includes('/conformance/')
    ? { url: ${JSON.stringify(shim)}, shortCircuit: true }
    : next(name, context);`;

if (!('globSync' in fs)) register(`data:text/javascript,${encodeURIComponent(hook)}`);
