/** Patina's logo: a copper disc, half covered with patina. */
export function Mark({ size = 36 }: { readonly size?: number }) {
  return (
    <svg aria-hidden width={size} height={size} viewBox="0 0 36 36" fill="none">
      <circle cx="18" cy="18" r="18" className="fill-copper" />
      <path
        d="M18 0a18 18 0 0 0-17.600 14.200c2.400 1.500 4.300-.6 6.400.3 2.300 1 1.800 4.200 4.400 5 2.700.8 3.600-2.200 6-1.900 2.900.4 2.500 4.400 5.500 5.100 2.600.6 3.500-2.400 5.900-2.400 2 0 2.700 1.900 4.600 2.300.5-1.500.8-3 .8-4.600A18 18 0 0 0 18 0Z"
        className="fill-accent"
      />
    </svg>
  );
}
