import { expect, it } from 'vitest';
import { ROOT } from './paths.mjs';
import { bundledIn, collectNotices, formatNotices } from './third-party-notices.mjs';

it('[PKG-notices] the notices name the software inside the bundle that draws diagrams, with its licence', () => {
  const notices = collectNotices(ROOT);
  const inside = notices.filter(({ version }) => version.startsWith('in @mermaid-js/tiny '));
  const names = inside.map(({ name }) => name);
  for (const name of ['dompurify', 'd3', 'dagre-d3-es', 'dayjs', 'js-yaml', 'khroma', 'langium', 'lodash-es'])
    expect(names).toContain(name);
  for (const { license, text } of inside) {
    expect(license).not.toBe('unknown');
    expect(text).toMatch(/copyright|unlicense/i);
  }
  expect(formatNotices(inside)).toMatch(
    /\nmarked in @mermaid-js\/tiny [\d.]+ \(MIT\)\n[\s\S]{0,300}MarkedJS/,
  );
});

it('[PKG-notices] another version of the bundle has to be compared first', () => {
  expect(() => bundledIn('@mermaid-js/tiny', '0.0.1')).toThrow('Compare the two bundles');
  expect(bundledIn('zod', '1.0.0')).toEqual([]);
});
