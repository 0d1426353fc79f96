const longest = 40;

/** An id like `count_todos` for a recipe of this title. */
export function recipeIdOf(title: string): string {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const id = words
    .reduce(
      (made, word) => (made === '' || made.length + word.length < longest ? `${made}_${word}` : made),
      '',
    )
    .replace(/^[_0-9]+/, '')
    .slice(0, longest);
  return id === '' ? 'my_recipe' : id;
}
