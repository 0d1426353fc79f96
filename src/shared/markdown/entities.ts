const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bull: '•',
  middot: '·',
  times: '×',
  divide: '÷',
  plusmn: '±',
  deg: '°',
  euro: '€',
  pound: '£',
  yen: '¥',
  cent: '¢',
  sect: '§',
  para: '¶',
  laquo: '«',
  raquo: '»',
  larr: '←',
  uarr: '↑',
  rarr: '→',
  darr: '↓',
  harr: '↔',
  le: '≤',
  ge: '≥',
  ne: '≠',
  infin: '∞',
  asymp: '≈',
  alpha: 'α',
  beta: 'β',
  gamma: 'γ',
  delta: 'δ',
  pi: 'π',
  sigma: 'σ',
  mu: 'μ',
  lambda: 'λ',
  omega: 'ω',
  check: '✓',
  cross: '✗',
  ensp: '\u2002',
  emsp: '\u2003',
  thinsp: '\u2009',
  shy: '\u00ad',
  frac12: '½',
  frac14: '¼',
};

function fromCode(code: number): string {
  const outside = code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff);
  return outside ? '\ufffd' : String.fromCodePoint(code);
}

/**
 * Replaces character references (`&amp;`, `&#39;`, `&#x27;`) with their characters; unknown names stay
 * unchanged.
 */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z][a-zA-Z0-9]{1,15}));/g,
    (whole, dec, hex, name) => {
      if (dec !== undefined) return fromCode(Number.parseInt(String(dec), 10));
      if (hex !== undefined) return fromCode(Number.parseInt(String(hex), 16));
      const key = String(name);
      return Object.hasOwn(named, key) ? (named[key] ?? whole) : whole;
    },
  );
}
