import { all, createLowlight } from 'lowlight';

/** Every grammar there is; a part of the bundle of its own, loaded only for a language that is not a usual one. */
export function createAllGrammars() {
  return createLowlight(all);
}
