import { expect, it } from 'vitest';
import { emptyFields, readFields, type ProviderFields } from './provider-fields';

const read = (patch: Partial<ProviderFields>, names: readonly string[] = []) =>
  readFields({ ...emptyFields, name: 'Office', baseUrl: 'https://models.example/v1', ...patch }, names);

it.each<[Partial<ProviderFields>, RegExp]>([
  [{ name: 'n'.repeat(101) }, /name of at most 100 characters/],
  [{ name: '\u202e' }, /name of at most 100 characters/],
  [{ organization: 'two words' }, /organization .* without spaces/],
  [{ headers: 'Two Words: x' }, /no space in a name/],
  [{ headers: 'X-Name: \u00e4' }, /plain ASCII characters only/],
  [{ models: 'm'.repeat(201) }, /at most 500 models/],
  [{ proxy: 'http://' }, /address of a proxy/],
])('[MDL-provider-edit] says in plain words what is wrong with %j', (patch, problem) => {
  const refused = read(patch);
  expect(refused.ok ? '' : refused.problem).toMatch(problem);
});

it('[MDL-provider-edit] two providers have two names', () => {
  const refused = read({ name: ' office ' }, ['Office']);
  expect(refused.ok ? '' : refused.problem).toContain('Another provider has the name “Office”');
  expect(read({}, ['Office 2']).ok).toBe(true);
});

it('[MDL-provider-edit] a name is drawn as it reads', () => {
  expect(read({ name: 'exe\u202egnp' })).toMatchObject({ edit: { name: 'exegnp' } });
});
