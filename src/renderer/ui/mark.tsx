/** Patina's mark: a disc of copper that time has half covered. */
export function Mark({ size = 40 }: { readonly size?: number }) {
  return (
    <svg aria-hidden width={size} height={size} viewBox="0 0 40 40" fill="none">
      <circle cx="20" cy="20" r="17" className="fill-copper" opacity="0.9" />
      <path
        d="M20 3a17 17 0 0 1 17 17c0 2.4-.5 4.600-1.400 6.700-2.700 1.300-4.600-1.200-7.300-.4-3.100.9-2.800 4.400-6 4.800-3.300.4-4.100-3.300-7.300-3.800-3-.5-4.700 2.200-7.700 1.400A17 17 0 0 1 20 3Z"
        className="fill-accent"
      />
    </svg>
  );
}
