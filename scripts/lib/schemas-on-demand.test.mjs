import { describe, expect, it } from 'vitest';
import { withPureConstants } from './schemas-on-demand.mjs';

describe('schemas on demand', () => {
  it('moves the setup of a constant into a call that can be removed, and keeps the rest', () => {
    const code = [
      "import { z } from 'zod';",
      'export const A = z.object({ b: z.string() }).optional();',
      'const table = { a: A };',
      "export const name = 'a';",
      'export const same = (x) => x;',
      'export function f() { const inner = z.string(); return inner; }',
    ].join('\n');
    expect(withPureConstants(code)).toBe(
      [
        "import { z } from 'zod';",
        'export const A = /* @__PURE__ */ (() => (z.object({ b: z.string() }).optional()))();',
        'const table = /* @__PURE__ */ (() => ({ a: A }))();',
        "export const name = 'a';",
        'export const same = (x) => x;',
        'export function f() { const inner = z.string(); return inner; }',
      ].join('\n'),
    );
  });
});
