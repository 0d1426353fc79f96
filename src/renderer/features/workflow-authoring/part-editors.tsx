import type { Json } from '#shared/json';
import type { AuthoringNames } from '#shared/workflow-panel';
import { useId, useState } from 'react';
import { classNames } from '../../ui/class-names';
import type { ChoicePart, LinePart, LinesPart, PairsPart, SwitchPart, TextPart } from './form-parts';
import { lineText, linesText, pairsText, readLines, readNumber, readPairs } from './part-text';

/** The props of every value editor. `describedBy` names the findings about the field. */
export interface EditorProps<P> {
  readonly part: P;
  readonly value: Json | undefined;
  readonly names: AuthoringNames;
  readonly invalid: boolean;
  readonly describedBy: string | undefined;
  readonly onChange: (value: Json | undefined) => void;
}

const look =
  'readable mt-1 w-full min-w-0 rounded-md border border-line-strong bg-canvas px-2.5 text-sm outline-none focus:border-accent aria-invalid:border-danger-text read-only:bg-surface disabled:bg-surface disabled:text-muted';

interface Described {
  readonly part: { readonly label: string; readonly hint?: string };
  readonly invalid: boolean;
  readonly describedBy: string | undefined;
}

/** The ids that connect a field to its label, help text and findings. */
function useField({ part, invalid, describedBy }: Described) {
  const id = useId();
  const hint = part.hint === undefined ? undefined : `${id}-hint`;
  const described = [hint, describedBy].filter((one) => one !== undefined).join(' ');
  const attributes = {
    id,
    'aria-invalid': invalid || undefined,
    'aria-describedby': described === '' ? undefined : described,
  };
  const label = (
    <label htmlFor={id} className="text-sm font-medium">
      {part.label}
    </label>
  );
  const note = hint && (
    <p id={hint} className="mt-1 text-xs text-muted">
      {part.hint}
    </p>
  );
  return { attributes, label, note };
}

export function LineEditor(props: EditorProps<LinePart>) {
  const { part, value, names, onChange } = props;
  const { attributes, label, note } = useField(props);
  const list = part.suggest ? `${attributes.id}-names` : undefined;
  const read = (text: string): Json | undefined => (part.kind === 'number' ? readNumber(text) : text);
  return (
    <div>
      {label}
      <input
        {...attributes}
        dir="auto"
        list={list}
        autoComplete="off"
        spellCheck={false}
        inputMode={part.kind === 'number' ? 'decimal' : 'text'}
        value={lineText(value)}
        onChange={(event) => onChange(read(event.currentTarget.value))}
        className={classNames(look, 'h-8', part.mono && 'font-mono')}
      />
      {part.suggest && (
        <datalist id={list}>
          {names[part.suggest].map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
      {note}
    </div>
  );
}

export function TextEditor(props: EditorProps<TextPart>) {
  const { part, value, onChange } = props;
  const { attributes, label, note } = useField(props);
  return (
    <div>
      {label}
      <textarea
        {...attributes}
        dir="auto"
        rows={part.rows}
        value={lineText(value)}
        onChange={(event) => onChange(event.currentTarget.value)}
        className={classNames(look, 'block py-1.5 leading-5')}
      />
      {note}
    </div>
  );
}

/** The text of a value: the typed text stays as it is while it still has the same meaning. */
function useTyped(shown: string, meaning: (text: string) => string) {
  const [typed, setTyped] = useState(shown);
  return [meaning(typed) === meaning(shown) ? typed : shown, setTyped] as const;
}

export function LinesEditor(props: EditorProps<LinesPart>) {
  const { part, value, names, onChange } = props;
  const { attributes, label, note } = useField(props);
  const [text, setText] = useTyped(linesText(value), (said) => readLines(said).join('\n'));
  const held = readLines(text);
  const change = (said: string) => {
    setText(said);
    onChange(readLines(said));
  };
  const others = part.add ? names[part.add].filter((name) => !held.includes(name)) : [];
  return (
    <div>
      {label}
      <textarea
        {...attributes}
        dir="auto"
        rows={Math.max(part.rows, Math.min(12, held.length + 1))}
        spellCheck={false}
        value={text}
        onChange={(event) => change(event.currentTarget.value)}
        className={classNames(look, 'block py-1.5 leading-5', part.mono && 'font-mono')}
      />
      {others.length > 0 && (
        <select
          aria-label={`Add to: ${part.label}`}
          value=""
          onChange={(event) => change([...held, event.currentTarget.value].join('\n'))}
          className={classNames(look, 'h-8 max-w-72 text-muted')}
        >
          <option value="">Add…</option>
          {others.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
      {note}
    </div>
  );
}

export function PairsEditor(props: EditorProps<PairsPart>) {
  const { part, value, onChange } = props;
  const { attributes, label, note } = useField(props);
  const read = (said: string) => readPairs(said, part.single === true);
  const [text, setText] = useTyped(pairsText(value), (said) => pairsText(read(said)));
  return (
    <div>
      {label}
      <textarea
        {...attributes}
        rows={2}
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          onChange(read(event.currentTarget.value));
        }}
        className={classNames(look, 'block py-1.5 font-mono leading-5')}
      />
      {note}
    </div>
  );
}

export function ChoiceEditor(props: EditorProps<ChoicePart>) {
  const { part, value, onChange } = props;
  const { attributes, label, note } = useField(props);
  const held = lineText(value);
  const known = part.options.some(([option]) => option === held);
  return (
    <div>
      {label}
      <select
        {...attributes}
        value={held}
        onChange={(event) => onChange(event.currentTarget.value)}
        className={classNames(look, 'h-8')}
      >
        {!known && <option value={held}>{held === '' ? 'Choose…' : held}</option>}
        {part.options.map(([option, words]) => (
          <option key={option} value={option}>
            {words}
          </option>
        ))}
      </select>
      {note}
    </div>
  );
}

export function SwitchEditor({ part, value, invalid, describedBy, onChange }: EditorProps<SwitchPart>) {
  return (
    <label className="flex min-h-8 items-center gap-2 text-sm font-medium">
      <input
        type="checkbox"
        aria-invalid={invalid || undefined}
        aria-describedby={describedBy}
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
        className="size-4 shrink-0 accent-accent-strong"
      />
      {part.label}
    </label>
  );
}
