interface TokenBarProps {
  readonly uncached: number;
  readonly cached: number;
  readonly written: number;
  readonly output: number;
}

const inks = {
  cached: 'bg-plot-1',
  written: 'bg-plot-3',
  uncached: 'bg-plot-2',
  output: 'bg-plot-4',
} as const;
const kinds = ['cached', 'written', 'uncached', 'output'] as const;

/** The kinds of tokens as parts of one bar; the numbers stand beside it. */
export function TokenBar(props: TokenBarProps) {
  const total = kinds.reduce((sum, kind) => sum + props[kind], 0);
  return (
    <div aria-hidden className="flex h-1.5 gap-px overflow-hidden rounded-full bg-track">
      {kinds.map(
        (kind) =>
          props[kind] > 0 && (
            <span
              key={kind}
              style={{ width: `${(props[kind] / Math.max(1, total)) * 100}%` }}
              className={`min-w-0.5 ${inks[kind]}`}
            />
          ),
      )}
    </div>
  );
}
