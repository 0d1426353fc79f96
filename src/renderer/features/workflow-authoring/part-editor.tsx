import type { Json, JsonObject } from '#shared/json';
import { ArrowUp, Plus, Trash2 } from 'lucide-react';
import { Button } from '../../ui/button';
import { IconButton } from '../../ui/icon-button';
import type { GroupPart, GroupShape, Part, RowsPart } from './form-parts';
import {
  ChoiceEditor,
  LineEditor,
  LinesEditor,
  PairsEditor,
  SwitchEditor,
  TextEditor,
  type EditorProps,
} from './part-editors';
import { lineText, objectOf, rowsOf, withField } from './part-text';

export function PartEditor(props: EditorProps<Part>) {
  const { part } = props;
  switch (part.kind) {
    case 'line':
    case 'number':
      return <LineEditor {...props} part={part} />;
    case 'text':
      return <TextEditor {...props} part={part} />;
    case 'lines':
      return <LinesEditor {...props} part={part} />;
    case 'pairs':
      return <PairsEditor {...props} part={part} />;
    case 'choice':
      return <ChoiceEditor {...props} part={part} />;
    case 'switch':
      return <SwitchEditor {...props} part={part} />;
    case 'group':
      return <GroupEditor {...props} part={part} />;
    case 'rows':
      return <RowsEditor {...props} part={part} />;
  }
}

type ShapeProps = Omit<EditorProps<unknown>, 'part'> & { readonly shape: GroupShape };

/** The fields of an object, and the choice of its kind. */
function ShapeFields({ shape, value, onChange, ...rest }: ShapeProps) {
  const { variants } = shape;
  const object = objectOf(value);
  const kind = value === undefined ? '' : lineText(object['kind']);
  const variant = variants?.options.find((one) => one.kind === kind);
  const none: readonly (readonly [string, string])[] =
    variants?.none === undefined ? [] : [['', variants.none]];
  const choose = (chosen: Json | undefined) =>
    onChange(variants?.options.find((one) => one.kind === chosen)?.blank);
  return (
    <div className="grid gap-3 narrow:grid-cols-2">
      {variants && (
        <ChoiceEditor
          {...rest}
          part={{
            kind: 'choice',
            name: 'kind',
            label: variants.label,
            options: [...none, ...variants.options.map((one) => [one.kind, one.label] as const)],
          }}
          value={kind}
          onChange={choose}
        />
      )}
      {[...shape.parts, ...(variant?.parts ?? [])].map((part) => (
        <PartEditor
          key={`${kind} ${part.name}`}
          {...rest}
          part={part}
          value={object[part.name]}
          onChange={(held) => onChange(withField(object, part.name, emptied(held)))}
        />
      ))}
    </div>
  );
}

/** Inside an object, an empty text or list counts as absent. */
const emptied = (value: Json | undefined): Json | undefined =>
  value === '' || (Array.isArray(value) && value.length === 0) ? undefined : value;

function GroupEditor({ part, value, ...rest }: EditorProps<GroupPart>) {
  return (
    <fieldset aria-describedby={rest.describedBy} className="min-w-0 narrow:col-span-2">
      <legend className="text-sm font-medium">{part.label}</legend>
      <div className="mt-1.5">
        <ShapeFields {...rest} shape={part.shape} value={value} />
      </div>
    </fieldset>
  );
}

interface RowProps extends ShapeProps {
  readonly name: string;
  readonly first: boolean;
  readonly onRemove: () => void;
  readonly onUp: () => void;
}

function Row({ name, first, onRemove, onUp, ...rest }: RowProps) {
  return (
    <li className="rounded-lg border border-line p-3">
      <fieldset className="min-w-0">
        <legend className="sr-only">{name}</legend>
        <div className="-mt-1 mb-1 flex items-center gap-1">
          <span aria-hidden className="flex-1 text-xs text-muted first-letter:uppercase">
            {name}
          </span>
          <IconButton bare icon={ArrowUp} label={`Move ${name} up`} disabled={first} onClick={onUp} />
          <IconButton bare icon={Trash2} label={`Remove ${name}`} onClick={onRemove} />
        </div>
        <ShapeFields {...rest} />
      </fieldset>
    </li>
  );
}

const movedUp = (rows: readonly JsonObject[], at: number): readonly JsonObject[] =>
  rows.toSpliced(at - 1, 2, ...rows.slice(at - 1, at + 1).toReversed());

function RowsEditor({ part, value, onChange, ...rest }: EditorProps<RowsPart>) {
  const rows = rowsOf(value);
  const { noun, blank, shapeOf } = part;
  return (
    <fieldset aria-describedby={rest.describedBy} className="min-w-0">
      <legend className="text-sm font-medium">{part.label}</legend>
      {rows.length > 0 && (
        <ol className="mt-1.5 flex flex-col gap-2">
          {rows.map((row, at) => (
            <Row
              key={at}
              {...rest}
              invalid={false}
              describedBy={undefined}
              name={`${noun} ${at + 1}`}
              shape={shapeOf(row)}
              value={row}
              first={at === 0}
              onChange={(held) => onChange(rows.with(at, objectOf(held)))}
              onRemove={() => onChange(rows.toSpliced(at, 1))}
              onUp={() => onChange(movedUp(rows, at))}
            />
          ))}
        </ol>
      )}
      <Button className="mt-1.5 h-7 px-2" onClick={() => onChange([...rows, blank])}>
        <Plus aria-hidden size={14} /> Add {/^[aeiou]/.test(noun) ? 'an' : 'a'} {noun}
      </Button>
    </fieldset>
  );
}
