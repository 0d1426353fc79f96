import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { ServerForm } from './server-form';

afterEach(cleanup);

/** Fills in the form and presses the button; the names that were saved. */
function save(name: string, what: string): string[] {
  const saved: string[] = [];
  render(
    <ServerForm
      names={['shop']}
      outcome={null}
      busy={false}
      onSave={(draft) => saved.push(draft.name)}
      onCancel={() => undefined}
    />,
  );
  fireEvent.change(screen.getByLabelText('Name'), { target: { value: name } });
  fireEvent.change(screen.getByLabelText('Command or address'), { target: { value: what } });
  fireEvent.submit(screen.getByRole('form', { name: 'Add a server' }));
  return saved;
}

describe('[MCP-settings] the form of a server', () => {
  it.each([
    ['My server', 'npx', /Enter a name of lowercase letters/],
    ['x'.repeat(65), 'npx', /at most 64 characters/],
    ['store', '   ', /Enter the command that starts it/],
    ['store', 'http://', /a complete address/],
    ['store', 'https://me:secret@mcp.example/', /contains a name or password/],
    ['store', 'https://me@mcp.example', /contains a name or password/],
    ['shop', 'npx', /A server has the name “shop” already/],
  ])('says in plain words why %j with %j is not added', (name, what, problem) => {
    expect(save(name, what)).toEqual([]);
    expect(screen.getByRole('status').textContent).toMatch(problem);
  });

  it('takes an @ that is no name of a user', () => {
    expect(save('store', 'https://mcp.example/@me/mcp')).toEqual(['store']);
  });

  it('adds a server, and shows characters that would turn its command around', () => {
    expect(save(' store ', '\u202eedon')).toEqual(['store']);
    expect(screen.getByText('\\u202eedon')).not.toBeNull();
  });
});
