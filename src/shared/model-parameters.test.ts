import { describe, expect, it } from 'vitest';
import { mergeParameters } from './model-parameters';

describe('[CTX-parameters] the parameters of a request', () => {
  it('are none when the user set none', () => {
    expect(mergeParameters(undefined, undefined, undefined)).toEqual({});
  });

  it('come from the model, then the session, then the line, without the context size', () => {
    const model = { temperature: 1, effort: 'low' as const, contextTokens: 8_000 };
    const session = { effort: 'medium' as const, stop: ['END'] };
    expect(mergeParameters(model, session, { effort: 'high' })).toEqual({
      temperature: 1,
      effort: 'high',
      stop: ['END'],
    });
  });
});
