import type { RecipeCandidate, RecipeDraft, RecipeFinding, SaveRecipeRequest } from '#shared/recipe-draft';
import { useCallback, useMemo, useState } from 'react';
import { text } from '../../locales/text';
import { useApp } from '../../store/app-context';
import { useLatest } from '../../ui/use-latest';

/** The user's input so far; for missing fields, Patina's suggestion applies. */
interface Filled {
  readonly title: string;
  readonly id?: string;
  readonly description: string;
  readonly names: Readonly<Record<string, string>>;
  /** As typed, by key. */
  readonly values: Readonly<Record<string, string>>;
  readonly params?: readonly string[];
}

/**
 * A typed value in the type of its parameter; an invalid number is sent unchanged, so that main reports it.
 */
function typedValue(text: string, numeric: boolean): string | number {
  const number = Number(text);
  return numeric && text.trim() !== '' && Number.isFinite(number) ? number : text;
}

const saveRequestOf = (
  { title, id, description, names, values, params }: Filled,
  numeric: ReadonlySet<string>,
): SaveRecipeRequest => ({
  id: id ?? recipeIdOf(title),
  title,
  description,
  names: { ...names },
  values: Object.fromEntries(
    Object.entries(values).map(([key, text]) => [key, typedValue(text, numeric.has(key))]),
  ),
  ...(params && { params: [...params] }),
});

/** The command that lists the saved recipes. */
const listCommand = 'OpenRecipes';

/** The save in progress, and why the last attempt failed. */
function useSaving(turn: number, request: SaveRecipeRequest) {
  const { commands, view } = useApp();
  const [saving, setSaving] = useState(false);
  const [problem, setProblem] = useState<string>();
  const save = async () => {
    setSaving(true);
    const saved = await commands.saveRecipe(turn, request);
    setSaving(false);
    if (!saved.ok) return setProblem([saved.error.message, saved.error.hint].filter(Boolean).join(' '));
    const { id, title, example } = saved.value.recipe;
    // Shows the new recipe in the list of recipes.
    view.finishDialog({ kind: 'picker', commandId: listCommand, highlightId: id });
    const tryIt = { label: text('run.recipe.tryIt'), run: () => commands.suggest(example ?? title) };
    return view.toast(text('run.recipe.saved', { title }), tryIt);
  };
  return { saving, problem, save };
}

/** A recipe draft: the user's input and main's response, requested again after each change. */
export function useRecipeDraft(turn: number, goal: string) {
  const { commands } = useApp();
  const [filled, setFilled] = useState<Filled>({
    title: goal.slice(0, 120),
    description: '',
    names: {},
    values: {},
  });
  const [numeric, setNumeric] = useState<ReadonlySet<string>>(new Set());
  const request = useMemo(() => saveRequestOf(filled, numeric), [filled, numeric]);
  const ask = useCallback(
    (request: SaveRecipeRequest) => commands.draftRecipe(turn, request),
    [commands, turn],
  );
  const answer = useLatest(request, ask)?.output ?? null;
  const draft: RecipeDraft | null = answer?.ok ? answer.value : null;
  const { saving, problem, save } = useSaving(turn, request);
  const change = (patch: Partial<Filled>) => setFilled((before) => ({ ...before, ...patch }));
  const choose = (key: string, chosen: boolean) => {
    const now = (draft?.candidates ?? []).filter((one) => one.chosen).map((one) => one.key);
    change({ params: chosen ? [...now, key] : now.filter((other) => other !== key) });
  };
  return {
    filled,
    request,
    draft,
    change,
    choose,
    saving,
    save,
    problem: problem ?? (answer?.ok === false ? answer.error.message : undefined),
    /** Sets another default value. */
    fallBack: ({ key, type }: RecipeCandidate, value: string) => {
      if (type === 'number') setNumeric((before) => new Set([...before, key]));
      change({ values: { ...filled.values, [key]: value } });
    },
    fallbackOf: ({ key, fallback }: RecipeCandidate): string => filled.values[key] ?? String(fallback),
    rename: (key: string, name: string) => change({ names: { ...filled.names, [key]: name } }),
    found: (field: string): RecipeFinding | undefined =>
      draft?.findings.find((finding) => finding.field === field),
    nameOf: ({ key, name }: RecipeCandidate): string => filled.names[key] ?? name,
  };
}

export type RecipeDraftInUse = ReturnType<typeof useRecipeDraft>;
const maxExampleLength = 40;

/** Derives a recipe id such as `count_todos` from a title. */
function recipeIdOf(title: string): string {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const id = words
    .reduce(
      (made, word) =>
        made === '' || made.length + word.length < maxExampleLength ? `${made}_${word}` : made,
      '',
    )
    .replace(/^[_0-9]+/, '')
    .slice(0, maxExampleLength);
  return id === '' ? 'my_recipe' : id;
}
