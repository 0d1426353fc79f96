import { describe, expect, it } from 'vitest';
import type { Schema } from '../../ui/schema-form';
import { definitionSchema, fieldTexts, formSections } from './definition-fields';

const textOf = fieldTexts({ tools: [], workflows: [], modes: [] });
const edited = formSections.flatMap(({ fields }) => fields);

/** The paths of all fields below a schema; the kinds of a union share theirs. */
function pathsIn(schema: Schema, path: string): readonly string[] {
  const items = typeof schema.items === 'object' && !Array.isArray(schema.items) ? [schema.items] : [];
  const objects = [...(schema.oneOf ?? []), ...items];
  const inside = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const below = path === '' ? name : `${path}.${name}`;
    return typeof field === 'object' ? [below, ...pathsIn(field, below)] : [];
  });
  return [...inside, ...objects.flatMap((each) => pathsIn(each, path))];
}

describe('[T6-10-panel-form] the form of a definition', () => {
  it('edits every field of the schema, except the id and the additions of packs', () => {
    const fields = Object.keys(definitionSchema.properties ?? {});
    expect([...edited, 'WorkflowId', 'Extensions'].sort()).toEqual(fields.sort());
  });

  it('has a label for every field, also for those in lists and objects', () => {
    const paths = [...new Set(pathsIn(definitionSchema, ''))].filter((path) => {
      const [field = ''] = path.split('.');
      return edited.includes(field);
    });
    expect(paths.length).toBeGreaterThan(40);
    const raw = paths.map((path) => textOf(path).label).filter((label) => /[a-z][A-Z]|\./.test(label));
    expect(raw).toEqual([]);
  });
});
