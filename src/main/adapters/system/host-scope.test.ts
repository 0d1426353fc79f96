import { describe, expect, it } from 'vitest';
import { scopeOf } from './host-scope';

const never = () => Promise.reject(new Error('An address needs no lookup.'));

describe('[OAUTH-hostile] [RICH-image-click] the scope of an address', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['[::1]', 'loopback'],
    ['[::ffff:127.0.0.1]', 'loopback'],
    ['[64:ff9b::7f00:1]', 'loopback'],
    ['localhost', 'loopback'],
    ['10.1.2.3', 'private'],
    ['169.254.169.254', 'private'],
    ['192.0.0.8', 'private'],
    ['224.0.0.251', 'private'],
    ['255.255.255.255', 'private'],
    ['0.0.0.0', 'private'],
    ['[fd00::1]', 'private'],
    ['[ff02::fb]', 'private'],
    ['[64:ff9b::192.168.1.1]', 'private'],
    ['93.184.216.34', 'public'],
    ['[2606:2800:220:1::1]', 'public'],
    ['[64:ff9b::93.184.216.34]', 'public'],
  ])('%s is %s', async (host, scope) => {
    expect(await scopeOf(host, never)).toBe(scope);
  });

  it('is the nearest of all addresses of a name', async () => {
    expect(await scopeOf('a.example', () => Promise.resolve(['93.184.216.34', '10.0.0.1']))).toBe('private');
  });
});
