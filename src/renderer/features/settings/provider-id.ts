/** A unique id for a provider name: `My Server` becomes `my-server`, then `my-server-2`. */
export function providerId(name: string, taken: readonly string[]): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  const base = words === '' || words === 'offline' ? 'provider' : words;
  if (!taken.includes(base)) return base;
  let number = 2;
  while (taken.includes(`${base}-${number}`)) number += 1;
  return `${base}-${number}`;
}
