import { ArrowUp, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { z } from 'zod';
import type { Json, JsonObject } from '#shared/json';
import { text } from '../locales/text';
import { Button } from './button';
import { classNames } from './class-names';
import {
  CheckField,
  ChoiceField,
  ChoicesField,
  controlLook,
  FieldGroup,
  LineField,
  TextAreaField,
  type FieldProps,
  type Option,
} from './field';
import { IconButton } from './icon-button';
import {
  lineText,
  linesText,
  objectOf,
  pairsText,
  readLines,
  readNumber,
  readPairs,
  rowsOf,
  withField,
} from './json-text';

/** The JSON Schema of a value, as `z.toJSONSchema` writes it. */
export type Schema = z.core.JSONSchema.JSONSchema;

/** What the schema does not say about a field. Paths have no list positions: `RequiredInputs.type`. */
export interface FieldText {
  readonly label: string;
  readonly hint?: string | undefined;
  /** The label of a value of a choice, or of a kind of object; the value itself by default. */
  readonly option?: ((value: string) => string | undefined) | undefined;
  /** The label of leaving an optional object out. */
  readonly none?: string | undefined;
  /** The name of one item of a list of objects, `input`, and the label of the button that adds one. */
  readonly item?: string | undefined;
  readonly add?: string | undefined;
  /** Lines that a text or a list shows at least; more than one turns a line into a text box. */
  readonly rows?: number;
  readonly mono?: boolean;
  /** Values that the user can pick instead of typing them. */
  readonly suggestions?: readonly string[] | undefined;
  /** The fields of an object that apply, given the object around it; by default all. */
  readonly applies?: (around: JsonObject) => readonly string[];
}

/** A problem of the value, with its exact position: `RequiredInputs.0.type`. */
export interface PathProblem {
  readonly path: string;
  readonly message: string;
}

interface FormContext {
  readonly textOf: (path: string) => FieldText;
  readonly problems: readonly PathProblem[];
}

export interface SchemaFieldProps extends FormContext {
  readonly schema: Schema;
  /** The position of the value, with list positions. */
  readonly path: string;
  readonly value: Json | undefined;
  /** The object that contains the value. */
  readonly around?: JsonObject;
  readonly onChange: (value: Json | undefined) => void;
}

type Kind =
  'choice' | 'number' | 'check' | 'line' | 'text' | 'choices' | 'lines' | 'rows' | 'pairs' | 'object';

const schemaOf = (schema: z.core.JSONSchema._JSONSchema | undefined): Schema =>
  typeof schema === 'object' ? schema : {};
const itemsOf = ({ items }: Schema): Schema => (Array.isArray(items) ? {} : schemaOf(items));

function arrayKind(items: Schema): Kind {
  if (items.enum) return 'choices';
  return items.type === 'string' ? 'lines' : 'rows';
}

function kindOf(schema: Schema, { rows = 1 }: FieldText): Kind {
  if (schema.oneOf || schema.properties) return 'object';
  if (schema.enum) return 'choice';
  switch (schema.type) {
    case 'array':
      return arrayKind(itemsOf(schema));
    case 'object':
      return 'pairs';
    case 'boolean':
      return 'check';
    case 'number':
    case 'integer':
      return 'number';
    default:
      return rows > 1 ? 'text' : 'line';
  }
}

/** The value of a new item: what is required or has a default, and the first value of every choice. */
function blankOf(schema: Schema): Json {
  if (schema.default !== undefined) return schema.default as Json;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0] ?? '';
  const [first] = schema.oneOf ?? [];
  if (first) return blankOf(first);
  if (schema.type === 'array') return [];
  if (schema.type === 'boolean') return false;
  if (!schema.properties) return schema.type === 'object' ? {} : '';
  const { required = [] } = schema;
  const fields = Object.entries(schema.properties).map(([name, field]) => [name, schemaOf(field)] as const);
  const shownFields = fields.filter(
    ([name, field]) => required.includes(name) || field.default !== undefined || field.enum,
  );
  return Object.fromEntries(shownFields.map(([name, field]) => [name, blankOf(field)]));
}

const withoutPositions = (path: string): string => path.replace(/\.\d+(?=\.|$)/g, '');
const optionsOf = (values: readonly unknown[], { option }: FieldText): readonly Option[] =>
  values.map(String).map((value) => ({ value, label: option?.(value) ?? value }));
const textsOf = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.map((each: Json) => lineText(each)) : [];

/** The problems of a field; `deep` adds those of the values inside it. */
function problemsAt({ problems, path }: SchemaFieldProps, deep: boolean): readonly string[] {
  const own = problems.filter((one) => one.path === path || (deep && one.path.startsWith(`${path}.`)));
  return [...new Set(own.map(({ message }) => message))];
}

/** One value with the control that its schema asks for. */
export function SchemaField(props: SchemaFieldProps) {
  const { schema, path, around = {}, textOf } = props;
  const look = textOf(withoutPositions(path));
  const kind = kindOf(schema, look);
  const nested = kind === 'rows' || kind === 'object';
  const field: FieldProps = { label: look.label, hint: look.hint, problems: problemsAt(props, !nested) };
  if (kind === 'rows') return <Rows {...props} field={field} />;
  if (kind !== 'object') return <Control {...props} kind={kind} field={field} look={look} />;
  if (look.applies?.(around).length === 0) return null;
  return (
    <div className="narrow:col-span-2">
      <FieldGroup {...field}>
        <div className="mt-1.5">
          <ObjectFields {...props} />
        </div>
      </FieldGroup>
    </div>
  );
}

interface ControlProps {
  readonly schema: Schema;
  readonly field: FieldProps;
  readonly look: FieldText;
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined) => void;
}

/** The control of a value that is neither an object nor a list of objects. */
function Control({ kind, ...props }: ControlProps & { readonly kind: Exclude<Kind, 'rows' | 'object'> }) {
  const { schema, field, look, value, onChange } = props;
  const line = lineText(value);
  switch (kind) {
    case 'choice':
      return (
        <ChoiceField
          {...field}
          value={line}
          options={optionsOf(schema.enum ?? [], look)}
          onChange={onChange}
        />
      );
    case 'choices':
      return (
        <ChoicesField
          {...field}
          values={textsOf(value)}
          options={optionsOf(itemsOf(schema).enum ?? [], look)}
          onChange={onChange}
        />
      );
    case 'check':
      return <CheckField {...field} checked={value === true} onChange={onChange} />;
    case 'number':
      return (
        <LineField
          {...field}
          type="number"
          value={line}
          onChange={(entered) => onChange(readNumber(entered))}
        />
      );
    case 'text':
      return <TextAreaField {...field} rows={look.rows ?? 2} value={line} onChange={onChange} />;
    case 'line':
      return (
        <LineField
          {...field}
          mono={look.mono}
          suggestions={look.suggestions}
          value={line}
          onChange={onChange}
        />
      );
    case 'lines':
      return <Lines {...props} />;
    case 'pairs':
      return <Pairs {...props} />;
  }
}

/** The text of a value: the typed text stays as it is while it still has the same meaning. */
function useTyped(shown: string, meaning: (text: string) => string) {
  const [draft, setTyped] = useState(shown);
  return [meaning(draft) === meaning(shown) ? draft : shown, setTyped] as const;
}

const maxRowsShown = 12;

/** A list of texts, one per line. */
function Lines({ field, look, value, onChange }: ControlProps) {
  const [draft, setTyped] = useTyped(linesText(value), (entered) => readLines(entered).join('\n'));
  const lines = readLines(draft);
  const others = (look.suggestions ?? []).filter((name) => !lines.includes(name));
  const change = (entered: string) => {
    setTyped(entered);
    onChange(readLines(entered));
  };
  const add = (
    <select
      aria-label={text('ui.field.addTo', { label: look.label })}
      value=""
      onChange={(event) => change([...lines, event.currentTarget.value].join('\n'))}
      className={classNames(controlLook, 'h-8 max-w-72 text-muted')}
    >
      <option value="">{text('ui.field.add')}</option>
      {others.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
  return (
    <TextAreaField
      {...field}
      mono={look.mono}
      rows={Math.max(look.rows ?? 2, Math.min(maxRowsShown, lines.length + 1))}
      spellCheck={false}
      value={draft}
      onChange={change}
      extra={others.length > 0 && add}
    />
  );
}

/** An object with free names, `operation: create_ddr, set_goal`, one name per line. */
function Pairs({ schema, value, onChange, field }: ControlProps) {
  const single = schemaOf(schema.additionalProperties).type !== 'array';
  const read = (entered: string) => readPairs(entered, single);
  const [draft, setTyped] = useTyped(pairsText(value), (entered) => pairsText(read(entered)));
  return (
    <TextAreaField
      {...field}
      mono
      rows={2}
      spellCheck={false}
      value={draft}
      onChange={(entered) => {
        setTyped(entered);
        onChange(read(entered));
      }}
    />
  );
}

const moveUp = (rows: readonly JsonObject[], at: number): readonly JsonObject[] =>
  rows.toSpliced(at - 1, 2, ...rows.slice(at - 1, at + 1).toReversed());

/** A list of objects. */
function Rows({
  schema,
  path,
  value,
  onChange,
  field,
  ...context
}: SchemaFieldProps & { readonly field: FieldProps }) {
  const { item = text('ui.field.itemName'), add = text('ui.field.addItem') } = context.textOf(
    withoutPositions(path),
  );
  const rows = rowsOf(value);
  const items = itemsOf(schema);
  return (
    <FieldGroup {...field}>
      {rows.length > 0 && (
        <ol className="mt-1.5 flex flex-col gap-2">
          {rows.map((row, at) => {
            const name = text('ui.field.numbered', { name: item, number: at + 1 });
            return (
              <li key={at} className="rounded-lg border border-line p-3">
                <fieldset className="min-w-0">
                  <legend className="sr-only">{name}</legend>
                  <div className="-mt-1 mb-1 flex items-center gap-1">
                    <span aria-hidden className="flex-1 text-xs text-muted first-letter:uppercase">
                      {name}
                    </span>
                    <IconButton
                      bare
                      icon={ArrowUp}
                      label={text('ui.field.moveUp', { name })}
                      disabled={at === 0}
                      onClick={() => onChange(moveUp(rows, at))}
                    />
                    <IconButton
                      bare
                      icon={Trash2}
                      label={text('ui.field.remove', { name })}
                      onClick={() => onChange(rows.toSpliced(at, 1))}
                    />
                  </div>
                  <ObjectFields
                    {...context}
                    schema={items}
                    path={`${path}.${at}`}
                    value={row}
                    onChange={(changed) => onChange(rows.with(at, objectOf(changed)))}
                  />
                </fieldset>
              </li>
            );
          })}
        </ol>
      )}
      <Button className="mt-1.5 h-7 px-2" onClick={() => onChange([...rows, blankOf(items)])}>
        <Plus aria-hidden size={14} /> {add}
      </Button>
    </FieldGroup>
  );
}

/** Inside an object, an empty text or list counts as absent. */
const emptyToAbsent = (value: Json | undefined): Json | undefined =>
  value === '' || (Array.isArray(value) && value.length === 0) ? undefined : value;

const kindsOf = (variants: readonly Schema[]): readonly string[] =>
  variants.map((variant) => String(schemaOf(variant.properties?.['kind']).const));

/** The fields of an object. If its schema is a union, its `kind` decides which. */
function ObjectFields({ schema, path, value, around = {}, onChange, ...context }: SchemaFieldProps) {
  const object = objectOf(value);
  const { applies, none } = context.textOf(withoutPositions(path));
  const variants = schema.oneOf ?? [];
  const kinds = kindsOf(variants);
  const kind = value === undefined ? '' : lineText(object['kind']);
  const { properties = {} } = variants.length > 0 ? (variants[kinds.indexOf(kind)] ?? {}) : schema;
  const names =
    applies?.(around) ?? Object.keys(properties).filter((name) => variants.length === 0 || name !== 'kind');
  const kindText = context.textOf(withoutPositions(`${path}.kind`));
  const choose = (chosen: string) => {
    const variant = variants[kinds.indexOf(chosen)];
    onChange(variant && blankOf(variant));
  };
  return (
    <div className="grid gap-3 narrow:grid-cols-2">
      {variants.length > 0 && (
        <ChoiceField
          label={kindText.label}
          value={kind}
          options={[
            ...(none !== undefined ? [{ value: '', label: none }] : []),
            ...optionsOf(kinds, kindText),
          ]}
          onChange={choose}
        />
      )}
      {names.map((name) => (
        <SchemaField
          key={`${kind} ${name}`}
          {...context}
          schema={schemaOf(properties[name])}
          path={`${path}.${name}`}
          value={object[name]}
          around={object}
          onChange={(changed) => onChange(withField(object, name, emptyToAbsent(changed)))}
        />
      ))}
    </div>
  );
}
