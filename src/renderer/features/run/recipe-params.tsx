import type { RecipeCandidate } from '#shared/recipe-draft';
import { useId } from 'react';
import { FindingLine } from './finding-line';
import type { RecipeDraftInUse } from './use-recipe-draft';

const kinds = { string: 'text', number: 'number', boolean: 'yes or no', path: 'path' } as const;

function ParamRow({ one, draft }: { readonly one: RecipeCandidate; readonly draft: RecipeDraftInUse }) {
  const id = useId();
  const finding = draft.found(`params.${one.key}`);
  const value = typeof one.value === 'number' ? String(one.value) : `“${one.value}”`;
  return (
    <li className="px-3 py-1.5">
      <div className="flex items-center gap-2.5">
        <input
          id={id}
          type="checkbox"
          className="size-4 shrink-0 accent-accent-strong"
          checked={one.chosen}
          onChange={(event) => draft.choose(one.key, event.currentTarget.checked)}
        />
        <label htmlFor={id} className="flex min-w-0 grow items-baseline gap-2 text-sm">
          <span dir="auto" title={value} className="min-w-0 truncate font-mono text-xs">
            {value}
          </span>
          <span className="shrink-0 text-xs text-muted">
            {kinds[one.type]}
            {one.inGoal && ', in your goal'}
          </span>
        </label>
        <input
          aria-label={`Name of the parameter for ${value}`}
          aria-invalid={finding !== undefined || undefined}
          aria-describedby={finding ? `${id}-finding` : undefined}
          autoComplete="off"
          spellCheck={false}
          disabled={!one.chosen}
          maxLength={100}
          value={draft.nameOf(one)}
          onChange={(event) => draft.rename(one.key, event.currentTarget.value)}
          className="h-7 w-36 shrink-0 rounded-md border border-line-strong bg-canvas px-2 font-mono text-xs outline-none focus:border-accent disabled:border-line disabled:text-muted"
        />
      </div>
      <FindingLine id={`${id}-finding`} finding={finding} />
    </li>
  );
}

/** The values the plan was written with: what is ticked can be another the next time, and stays this unless it is said. */
export function RecipeParams({ draft }: { readonly draft: RecipeDraftInUse }) {
  const candidates = draft.draft?.candidates ?? [];
  return (
    <fieldset>
      <legend className="text-sm font-medium">Parameters</legend>
      <p className="mt-0.5 text-xs text-muted">
        {candidates.length > 0
          ? 'A ticked value can be another one next time. Unless one is given, it is what it was in this run.'
          : 'The plan holds no value that could be another one: the recipe does the same each time.'}
      </p>
      {candidates.length > 0 && (
        <ul className="mt-1.5 max-h-52 divide-y divide-line overflow-y-auto rounded-lg border border-line">
          {candidates.map((one) => (
            <ParamRow key={one.key} one={one} draft={draft} />
          ))}
        </ul>
      )}
    </fieldset>
  );
}
