/** Lets at most `limit` holders in at once; the rest wait in order. */
export function createTurns(limit: number): { readonly take: () => Promise<() => void> } {
  let free = limit;
  const waiting: (() => void)[] = [];
  const give = (): void => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };
  return {
    take: async () => {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return give;
    },
  };
}
