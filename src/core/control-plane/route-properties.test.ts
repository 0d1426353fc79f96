import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Action, Routing } from '#shared/route';
import { seedContext, templateInFocus } from '../../testing/routing-context';
import type { RouteContext } from './route-context';
import { route } from './route';

const words = (
  'switch to use work on the a my DDR mode modes template templates email Q1 CFO Outreach list pilot send this it general agent ' +
  'please could you show all open persona recipe run TPL-123 LIST-9 /mode /template "Q1 - : ? . , remove focus and not'
).split(' ');
/** Lines built from the words of the patterns, which are most likely to mislead a router. */
const likely = fc.array(fc.constantFrom(...words), { maxLength: 9 }).map((parts) => parts.join(' '));
const anything = fc.oneof(
  likely,
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
);

function shuffledBy(seed: number): <T>(list: readonly T[]) => readonly T[] {
  return (list) => {
    const rest = [...list];
    let state = seed + 1;
    return list.map(() => {
      state = (state * 48_271) % 2_147_483_647;
      const [taken] = rest.splice(state % rest.length, 1);
      return taken as (typeof list)[number];
    });
  };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}

const places = [{}, { focus: templateInFocus }, { ui: false }, { mode: 'ddr_authoring', ui: false }];

describe('the router, on any line', () => {
  it('[CPR-7-one-action] returns exactly one action in its shape, and never throws', () => {
    const contexts = places.map((place) => seedContext(place));
    const check = (line: string, at: number): void => {
      const routing = route(line, contexts[at % contexts.length] as RouteContext);
      expect(() => Routing.parse(routing)).not.toThrow();
      expect(Action.options.filter((shape) => shape.safeParse(routing.action).success)).toHaveLength(1);
      const won = routing.trace.candidates.filter(({ outcome }) => outcome === 'won').length;
      const { type } = routing.action;
      // A question about an unknown name does not come from a pattern.
      if (type === 'ask-clarifying-question' && won === 0)
        expect(routing.trace.decision).toMatch(/^(No active command is called|Nothing here has the name)/);
      else expect(Math.sign(won)).toBe(type === 'continue-with-llm' ? 0 : 1);
    };
    fc.assert(fc.property(anything, fc.nat(3), check), { numRuns: 1_500 });
  });

  it('[CPR-3-deterministic] returns the same action whatever the order of commands and catalogs', () => {
    const contexts = [undefined, 1, 77, 4_242, 990_001].map((seed) => [
      ...places.map((place) =>
        seedContext({ ...place, ...(seed === undefined ? {} : { order: shuffledBy(seed) }) }),
      ),
    ]);
    const check = (line: string, at: number): void => {
      const [expected, ...others] = contexts.map((row) => route(line, row[at] as RouteContext));
      for (const other of others) expect(other).toEqual(expected);
    };
    fc.assert(fc.property(likely, fc.nat(3), check), { numRuns: 2_500 });
  });

  it('[CPR-7-no-mutation] [CPR-10-no-memory] changes nothing and remembers nothing', () => {
    const context = deepFreeze({ ...seedContext({ focus: templateInFocus }) });
    const known = new Map<string, string>();
    const check = (lines: readonly string[]): void => {
      for (const line of lines) {
        const routing = JSON.stringify(route(line, context));
        expect(routing).toBe(known.get(line) ?? routing);
        known.set(line, routing);
      }
    };
    fc.assert(
      fc.property(
        fc.array(fc.oneof(likely, fc.constantFrom('send this to LIST-9', 'yes', 'DDR mode'))),
        check,
      ),
      {
        numRuns: 300,
      },
    );
  });

  it('[CPR-7-no-rewriting] passes nothing but a reason to the model', () => {
    const context = seedContext();
    fc.assert(
      fc.property(anything, (line) => {
        const { action } = route(line, context);
        if (action.type === 'continue-with-llm')
          expect(Object.keys(action).sort()).toEqual(['reasonCode', 'type']);
      }),
      { numRuns: 500 },
    );
  });
});

describe('hostile lines', () => {
  const context = seedContext({ focus: templateInFocus });
  const modelOnly = (line: string): void => {
    expect(route(line, context).action.type, line.slice(0, 60)).toBe('continue-with-llm');
  };

  it('[CPR-7-hostile] go to the model without delay', () => {
    const long = ['x', ' ', 'switch to DDR mode ', '\n', '🚀', '\u202e', '[', '((((', '{item}', '\u0301'];
    for (const piece of long) modelOnly(piece.repeat(100_000 / piece.length));
    const odd = [
      '\u0000',
      '\ud800',
      'مرحبا',
      'שלום',
      '切换模式',
      '👩‍👩‍👧‍👦',
      '\u200b',
      '…',
      '?!',
      '/',
      '//',
      '/ mode',
      '"',
      "'",
      ':',
    ];
    for (const line of odd) modelOnly(line);
  });

  it('[CPR-7-hostile] with invisible characters do not hide a command, and do not make one exact', () => {
    expect(route('\u200fswitch to DDR mode\u200e', context).action.type).toBe('invoke-command');
    expect(route('switch to D\u200bDR mode', context).action).toMatchObject({
      type: 'open-picker',
      highlightId: 'ddr_authoring',
    });
    expect(route('switch to ＤＤＲ mode', context).action.type).toBe('open-picker');
  });

  it('[CPR-7-no-planning] with two requests are not split', () => {
    modelOnly('switch to DDR mode and open TPL-123');
    modelOnly('switch to DDR mode, then work on email templates');
    modelOnly('switch to DDR mode. Send this to the Q1 pilot list.');
    modelOnly('send this to LIST-9 and LIST-10');
  });
});
