import type { RecipeCandidate } from '#shared/recipe-draft';
import { useId } from 'react';
import { text } from '../../locales/text';
import { FindingLine } from './finding-line';
import type { RecipeDraftInUse } from './use-recipe-draft';

const kinds = {
  string: text('run.params.text'),
  number: text('run.params.number'),
  boolean: text('run.params.yesNo'),
  path: text('run.params.path'),
} as const;

const field =
  'h-7 w-full min-w-0 rounded-md border border-line-strong bg-canvas px-2 font-mono text-xs outline-none focus:border-accent disabled:border-line disabled:text-muted';

interface FieldsProps {
  readonly one: RecipeCandidate;
  readonly draft: RecipeDraftInUse;
  readonly shownValue: string;
  readonly findingId: string | undefined;
}

/** The name of a parameter and its default value. */
function ParamFields({ one, draft, shownValue, findingId }: FieldsProps) {
  const more = { autoComplete: 'off', spellCheck: false, className: field, disabled: !one.chosen };
  const wrong = { 'aria-invalid': findingId !== undefined || undefined, 'aria-describedby': findingId };
  return (
    <div className="grid w-72 max-w-full shrink-0 grid-cols-2 gap-2 max-narrow:w-full max-narrow:ps-6.5">
      <input
        {...more}
        {...wrong}
        aria-label={text('run.params.nameOf', { value: shownValue })}
        maxLength={100}
        value={draft.nameOf(one)}
        onChange={(event) => draft.rename(one.key, event.currentTarget.value)}
      />
      <input
        {...more}
        {...wrong}
        aria-label={text('run.params.defaultOf', { name: draft.nameOf(one) })}
        inputMode={one.type === 'number' ? 'decimal' : 'text'}
        maxLength={2_000}
        value={draft.fallbackOf(one)}
        onChange={(event) => draft.fallBack(one, event.currentTarget.value)}
      />
    </div>
  );
}

function ParamRow({ one, draft }: { readonly one: RecipeCandidate; readonly draft: RecipeDraftInUse }) {
  const id = useId();
  const finding = draft.found(`params.${one.key}`);
  const value = typeof one.value === 'number' ? String(one.value) : `“${one.value}”`;
  const findingId = finding ? `${id}-finding` : undefined;
  return (
    <li className="px-3 py-1.5">
      <div className="flex items-center gap-2.5 max-narrow:flex-wrap">
        <input
          id={id}
          type="checkbox"
          className="size-4 shrink-0 accent-accent-strong"
          checked={one.chosen}
          onChange={(event) => draft.choose(one.key, event.currentTarget.checked)}
        />
        <label htmlFor={id} className="flex min-w-0 flex-1 items-baseline gap-2 text-sm">
          <span dir="auto" title={value} className="min-w-0 truncate font-mono text-xs">
            {value}
          </span>
          <span className="shrink-0 text-xs text-muted">
            {kinds[one.type]}
            {one.inGoal && text('run.params.inGoal')}
          </span>
        </label>
        <ParamFields one={one} draft={draft} shownValue={value} findingId={findingId} />
      </div>
      <FindingLine id={`${id}-finding`} finding={finding} />
    </li>
  );
}

/** The headings above the two fields of each row. */
function ColumnNames() {
  return (
    <p aria-hidden className="mt-1.5 flex justify-end px-3 text-xs text-muted max-narrow:hidden">
      <span className="grid w-72 grid-cols-2 gap-2">
        <span>{text('run.params.name')}</span>
        <span>{text('run.params.default')}</span>
      </span>
    </p>
  );
}

/** The values in the plan: a checked value becomes a parameter with this value as its default. */
export function RecipeParams({ draft }: { readonly draft: RecipeDraftInUse }) {
  const candidates = draft.draft?.candidates ?? [];
  return (
    <fieldset>
      <legend className="text-sm font-medium">{text('run.params.title')}</legend>
      <p className="mt-0.5 text-xs text-muted">
        {candidates.length > 0 ? text('run.params.about') : text('run.params.none')}
      </p>
      {candidates.length > 0 && <ColumnNames />}
      {candidates.length > 0 && (
        <ul className="mt-1 max-h-52 divide-y divide-line overflow-y-auto rounded-lg border border-line">
          {candidates.map((one) => (
            <ParamRow key={one.key} one={one} draft={draft} />
          ))}
        </ul>
      )}
    </fieldset>
  );
}
