import type { RecipeCandidate, RecipeDraft, RecipeFinding, RecipeWish } from '#shared/recipe-draft';
import { useCallback, useMemo, useState } from 'react';
import { useApp } from '../../store/app-context';
import { useLatest } from '../../ui/use-latest';
import { recipeIdOf } from './recipe-id';

/** What the user filled in so far; what is not there is as Patina suggests it. */
interface Filled {
  readonly title: string;
  readonly id?: string;
  readonly description: string;
  readonly names: Readonly<Record<string, string>>;
  readonly params?: readonly string[];
}

const wishOf = ({ title, id, description, names, params }: Filled): RecipeWish => ({
  ...{ id: id ?? recipeIdOf(title), title, description, names: { ...names } },
  ...(params && { params: [...params] }),
});

/** Saving under way, and why the last try did not work. */
function useSaving(turn: number, wish: RecipeWish) {
  const { commands, view } = useApp();
  const [saving, setSaving] = useState(false);
  const [problem, setProblem] = useState<string>();
  const save = async () => {
    setSaving(true);
    const saved = await commands.saveRecipe(turn, wish);
    setSaving(false);
    if (!saved.ok) return setProblem([saved.error.message, saved.error.hint].filter(Boolean).join(' '));
    const { title, example } = saved.value.recipe;
    view.set({ dialog: null });
    const again = { label: 'Try it', run: () => commands.suggest(example ?? title) };
    return view.toast(`Saved. The recipe “${title}” can be run now.`, again);
  };
  return { saving, problem, save };
}

/** A recipe in the making: what is filled in, and what main says of it, asked anew with each change. */
export function useRecipeDraft(turn: number, goal: string) {
  const { commands } = useApp();
  const [filled, setFilled] = useState<Filled>({ title: goal.slice(0, 120), description: '', names: {} });
  const wish = useMemo(() => wishOf(filled), [filled]);
  const ask = useCallback((asked: RecipeWish) => commands.draftRecipe(turn, asked), [commands, turn]);
  const answer = useLatest(wish, ask)?.output ?? null;
  const draft: RecipeDraft | null = answer?.ok ? answer.value : null;
  const { saving, problem, save } = useSaving(turn, wish);
  const change = (patch: Partial<Filled>) => setFilled((before) => ({ ...before, ...patch }));
  const choose = (key: string, chosen: boolean) => {
    const now = (draft?.candidates ?? []).filter((one) => one.chosen).map((one) => one.key);
    change({ params: chosen ? [...now, key] : now.filter((other) => other !== key) });
  };
  return {
    ...{ filled, wish, draft, change, choose, saving, save },
    problem: problem ?? (answer?.ok === false ? answer.error.message : undefined),
    rename: (key: string, name: string) => change({ names: { ...filled.names, [key]: name } }),
    found: (field: string): RecipeFinding | undefined =>
      draft?.findings.find((finding) => finding.field === field),
    nameOf: ({ key, name }: RecipeCandidate): string => filled.names[key] ?? name,
  };
}

export type RecipeDraftInUse = ReturnType<typeof useRecipeDraft>;
