import { describe, expect, it } from 'vitest';
import { defaultBudgets } from '../../testing/agent-harness';
import { readUnit } from './exec-unit';

const defaults = defaultBudgets.node;
const unit = { engine: 'quickjs', code: 'return 1;', params: {}, allowed_tools: [], budgets: {} };
const read = (more: object, engine = 'quickjs') => readUnit({ ...unit, ...more }, engine, defaults);

describe('a unit for `patina exec`', () => {
  it('gets the budgets that it leaves out', () => {
    expect(read({ budgets: { cpu_ms: 7 } })).toMatchObject({
      value: { code: 'return 1;', budgets: { ...defaults, cpu_ms: 7 } },
    });
  });

  it('names each invalid field, or the unit', () => {
    expect(read({ code: 7, budgets: { cpu_ms: 'x' } })).toMatchObject({
      error: {
        kind: 'HOST',
        code: 'INVALID_INPUT',
        message: expect.stringMatching(/^code: .*; budgets\.cpu_ms: /) as string,
      },
    });
    expect(readUnit('text', 'quickjs', defaults)).toMatchObject({
      error: { message: expect.stringMatching(/^unit: /) as string },
    });
  });

  it('must name the engine in use, unless that is the null engine', () => {
    expect(read({}, 'other')).toMatchObject({
      error: {
        kind: 'SANDBOX',
        code: 'UNSUPPORTED',
        message: 'The engine "quickjs" is not in use here.',
        hint: 'SANDBOX_ENGINE is "other".',
      },
    });
    expect(read({ code: 'return {', budgets: { cpu_ms: 7 } }, 'null')).toMatchObject({
      value: { budgets: { ...defaults, cpu_ms: 7 } },
    });
  });

  it('is refused for code that no engine runs, and not for what only fails when it runs', () => {
    expect(read({ code: 'return {' })).toMatchObject({ error: { code: 'SYNTAX_ERROR' } });
    expect(read({ code: 'eval("1")' })).toMatchObject({ error: { code: 'FORBIDDEN' } });
    expect(read({ code: 'fetch("x")' }).ok).toBe(true);
  });
});
