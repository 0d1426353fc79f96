import { settingRows, type SettingRow, type SettingsSection } from '#shared/setting-rows';
import { assertNever } from '#shared/result';
import { Monitor, Moon, Sun, type LucideIcon } from 'lucide-react';
import { RadioGroup } from 'radix-ui';
import { useId, useState } from 'react';
import { settingsOf, type ShownSetting } from '../../actions/setting-places';
import { text } from '../../locales/text';
import { useCommands, useMirror } from '../../store/app-context';
import { TextField } from '../../ui/text-field';

type Rows = typeof settingRows;

type ChoiceKey = {
  [Name in ShownSetting]: Rows[Name] extends { readonly choices: readonly (infer Choice extends string)[] }
    ? `settings.rows.${Name}.${Choice}`
    : never;
}[ShownSetting];

type Value = boolean | number | string;

interface ControlProps<Kind extends SettingRow['kind'] = SettingRow['kind']> {
  readonly row: Extract<SettingRow, { readonly kind: Kind }>;
  readonly label: string;
  readonly hint: string;
  readonly value: Value;
  readonly choiceLabel: (choice: string) => string;
  readonly onChange: (value: Value) => void;
}

function Switch({ label, hint, value, onChange }: ControlProps<'switch'>) {
  const id = useId();
  return (
    <div className="flex items-start gap-3 text-sm">
      <label htmlFor={id} className="min-w-0 flex-1">
        <span className="font-medium">{label}</span>
        <span id={`${id}-hint`} className="block text-muted">
          {hint}
        </span>
      </label>
      <input
        id={id}
        type="checkbox"
        role="switch"
        aria-label={label}
        aria-describedby={`${id}-hint`}
        className="mt-1 size-4 accent-accent-strong"
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </div>
  );
}

const choiceIcons: Readonly<Record<string, LucideIcon>> = { system: Monitor, light: Sun, dark: Moon };

function Choice({ row, label, hint, value, choiceLabel, onChange }: ControlProps<'choice'>) {
  const id = useId();
  const withIcons = row.choices.every((choice) => choice in choiceIcons);
  return (
    <div>
      <h4 id={id} className="font-medium">
        {label}
      </h4>
      <RadioGroup.Root
        aria-labelledby={id}
        aria-describedby={`${id}-hint`}
        value={String(value)}
        onValueChange={onChange}
        className="mt-2 grid grid-cols-3 gap-2"
      >
        {row.choices.map((choice) => {
          const Icon = withIcons ? choiceIcons[choice] : undefined;
          return (
            <RadioGroup.Item
              key={choice}
              value={choice}
              className="flex flex-col items-center gap-2 rounded-lg border border-line py-4 text-sm text-muted transition-colors hover:bg-hover data-[state=checked]:border-accent data-[state=checked]:bg-accent-soft data-[state=checked]:text-text"
            >
              {Icon && <Icon aria-hidden size={18} strokeWidth={1.75} />}
              {choiceLabel(choice)}
            </RadioGroup.Item>
          );
        })}
      </RadioGroup.Root>
      <p id={`${id}-hint`} className="mt-3 text-sm text-muted">
        {hint}
      </p>
    </div>
  );
}

/**
 * Edits a number or a text; saves it when the field loses the focus or on Enter, if it fits the row. Otherwise it
 * says which numbers do, and the focus is free to leave.
 */
function Field({ row, label, hint, value, onChange }: ControlProps<'number' | 'text'>) {
  const [draft, setDraft] = useState<{ readonly entered: string; readonly fits: boolean } | null>(null);
  const limits =
    row.kind === 'number'
      ? { type: 'number', min: row.min, max: row.max, step: row.step ?? 1, required: true }
      : { type: 'text', maxLength: row.maxLength };
  const unfit = row.kind === 'number' && draft?.fits === false;
  const save = (field: HTMLInputElement) => {
    if (!draft?.fits) return;
    setDraft(null);
    onChange(row.kind === 'number' ? field.valueAsNumber : field.value);
  };
  return (
    <TextField
      {...limits}
      label={label}
      hint={hint}
      problems={unfit ? [text('ui.field.number', { min: row.min, max: row.max })] : []}
      value={draft?.entered ?? String(value)}
      onChange={({ currentTarget: field }) => setDraft({ entered: field.value, fits: field.validity.valid })}
      onBlur={(event) => save(event.currentTarget)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') save(event.currentTarget);
      }}
    />
  );
}

/** The control of a row. */
export function SettingControl(props: ControlProps) {
  const { row } = props;
  switch (row.kind) {
    case 'switch':
      return <Switch {...props} row={row} />;
    case 'choice':
      return <Choice {...props} row={row} />;
    case 'number':
    case 'text':
      return <Field {...props} row={row} />;
    default:
      return assertNever(row);
  }
}

function SimpleSetting({ name }: { readonly name: ShownSetting }) {
  const { changeSettings } = useCommands();
  const value = useMirror((mirror) => mirror.settings[name]);
  return (
    <div data-setting={name}>
      <SettingControl
        row={settingRows[name]}
        label={text(`settings.rows.${name}.label`)}
        hint={text(`settings.rows.${name}.hint`)}
        choiceLabel={(choice) => text(`settings.rows.${name}.${choice}` as ChoiceKey)}
        value={value}
        onChange={(next) => void changeSettings({ [name]: next })}
      />
    </div>
  );
}

/** The settings that `settingRows` places in a section. */
export function SimpleSettings({ section }: { readonly section: SettingsSection }) {
  return settingsOf(section).map((name) => <SimpleSetting key={name} name={name} />);
}
