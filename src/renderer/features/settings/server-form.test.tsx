import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { ServerForm } from './server-form';

afterEach(cleanup);

/** Fills in the form and presses the button; the names that were saved. */
function save(name: string, what: string, variable = ''): string[] {
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
  if (variable !== '') {
    fireEvent.change(screen.getByLabelText('Variable with a secret'), { target: { value: variable } });
    fireEvent.change(screen.getByLabelText('Its value'), { target: { value: 'hunter2-hunter2' } });
  }
  fireEvent.submit(screen.getByRole('form', { name: 'Add a server' }));
  return saved;
}

describe('[MCP-settings] the form of a server', () => {
  const command = 'Command or address';
  it.each([
    ['Name', 'My server', 'npx', /Enter a name of lowercase letters/],
    ['Name', 'x'.repeat(65), 'npx', /at most 64 characters/],
    [command, 'store', '   ', /Enter the command that starts it/],
    [command, 'store', 'http://', /a complete address/],
    [command, 'store', 'https://me:secret@mcp.example/', /contains a name or password/],
    [command, 'store', 'https://me@mcp.example', /contains a name or password/],
    ['Name', 'shop', 'npx', /A server has the name “shop” already/],
    ['Variable with a secret', 'store', 'npx', /^The server was not added. The name of a variable/, 'MY KEY'],
  ])(
    'says at the field %j of %j with %j why it is not added',
    (label, name, what, problem, variable = '') => {
      expect(save(name, what, variable)).toEqual([]);
      const field = screen.getByLabelText(label);
      expect(field.getAttribute('aria-invalid')).toBe('true');
      expect(document.activeElement).toBe(field);
      const description = field.getAttribute('aria-describedby')?.split(' ').at(-1) ?? '';
      expect(document.getElementById(description)?.textContent).toMatch(problem);
      fireEvent.change(field, { target: { value: 'other' } });
      expect(field.getAttribute('aria-invalid')).toBeNull();
    },
  );

  it('takes an @ that is no name of a user', () => {
    expect(save('store', 'https://mcp.example/@me/mcp')).toEqual(['store']);
  });

  it('adds a server, and shows characters that would turn its command around', () => {
    expect(save(' store ', '\u202eedon')).toEqual(['store']);
    expect(screen.getByText('\\u202eedon')).not.toBeNull();
  });
});
