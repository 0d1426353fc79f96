import { Provider } from './model';
import { describe, expect, it } from 'vitest';
import { providerId } from './provider-row';

describe('provider ids', () => {
  it.each([
    ['My Server', 'my-server'],
    ['  Ünïcode!! ', 'unicode'],
    ['日本', 'provider'],
    ['Offline', 'provider'],
  ])('turns %s into an id', (name, id) => {
    expect(providerId(name, [])).toBe(id);
    expect(Provider.shape.id.safeParse(providerId(name, [])).success).toBe(true);
  });

  it('never returns the same id twice', () => {
    expect(providerId('A', ['a', 'a-2'])).toBe('a-3');
  });
});
