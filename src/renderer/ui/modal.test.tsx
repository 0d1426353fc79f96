import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState, type ReactNode } from 'react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Modal } from './modal';

afterEach(cleanup);

const button = (name: string) => screen.getByRole('button', { name });
const press = (name: string) =>
  act(async () => {
    button(name).focus();
    fireEvent.click(button(name));
  });

interface StageProps {
  /** The content of the changing part, before and after a button in it is pressed. */
  readonly before: (next: () => void) => ReactNode;
  readonly after: (next: () => void) => ReactNode;
}

function Stage({ before, after }: StageProps) {
  const [pressed, setPressed] = useState(false);
  const next = () => setPressed((was) => !was);
  return (
    <Modal label="Notes" onClose={() => undefined}>
      <button>First</button>
      {pressed ? after(next) : before(next)}
      <button>Last</button>
    </Modal>
  );
}

/** A control that is disabled while its own action is in progress. */
const testing = (underWay: boolean) => (next: () => void) => (
  <p>
    <button disabled={underWay} onClick={next}>
      Test
    </button>
    <button onClick={next}>Answer</button>
  </p>
);

describe('[T6-10-panel-keyboard] a dialog keeps the focus', () => {
  it('in the panel of a removed control', async () => {
    render(
      <Modal label="Notes" onClose={() => undefined}>
        <button>First</button>
        <div role="tabpanel" tabIndex={0}>
          <Publishing />
        </div>
      </Modal>,
    );
    await press('Publish');
    expect(screen.queryByRole('button', { name: 'Publish' })).toBeNull();
    expect(document.activeElement).toBe(screen.getByRole('tabpanel'));
  });

  it('near a removed control when nothing around it can have the focus', async () => {
    const row = (name: string) => (next: () => void) => (
      <div>
        <p>
          <button key={name} onClick={next}>
            {name}
          </button>
        </p>
      </div>
    );
    render(<Stage before={row('Edit')} after={row('Discard')} />);
    await press('Edit');
    expect(document.activeElement).toBe(button('Discard'));
  });

  it('on its first control when the whole part is removed', async () => {
    render(<Stage before={(next) => <button onClick={next}>Remove</button>} after={() => null} />);
    await press('Remove');
    expect(document.activeElement).toBe(button('First'));
  });

  it('when the part with the focus is hidden', async () => {
    const part = (hidden: boolean) => (next: () => void) => (
      <div hidden={hidden}>
        <button onClick={next}>Hide</button>
      </div>
    );
    render(<Stage before={part(false)} after={part(true)} />);
    await press('Hide');
    expect(document.activeElement).toBe(button('First'));
  });

  it('for a control that is disabled temporarily, and restores it', async () => {
    render(<Stage before={testing(false)} after={testing(true)} />);
    await press('Test');
    expect(document.activeElement).toBe(button('Answer'));
    await act(async () => void fireEvent.click(button('Answer')));
    expect(document.activeElement).toBe(button('Test'));
  });

  it('where the user moved it, not where it was', async () => {
    render(<Stage before={testing(false)} after={testing(true)} />);
    await press('Test');
    fireEvent.keyDown(button('Answer'), { key: 'Enter' });
    await act(async () => void fireEvent.click(button('Answer')));
    expect(document.activeElement).toBe(button('Answer'));
  });

  it('nowhere after a click on plain text, whatever changes afterwards', async () => {
    render(<Stage before={(next) => <button onClick={next}>Show</button>} after={() => <p>Shown</p>} />);
    await act(async () => button('Last').focus());
    await act(async () => button('Last').blur());
    await act(async () => void fireEvent.click(button('Show')));
    expect(screen.getByText('Shown')).toBeTruthy();
    expect(document.activeElement).toBe(document.body);
  });
});

describe('[SET-typed] Escape in a dialog with typed text', () => {
  const escape = () =>
    act(async () => void fireEvent(screen.getByRole('dialog'), new Event('cancel', { cancelable: true })));
  const said = () => screen.queryByRole('alert')?.textContent;
  const draw = (stored?: true) => {
    const onClose = vi.fn();
    render(
      <Modal label="Notes" onClose={onClose}>
        <form data-stored={stored}>
          <input aria-label="Name" defaultValue="old" />
        </form>
        <input aria-label="Filter" />
        <input aria-label="Port" aria-invalid />
      </Modal>,
    );
    const type = (name: string, value: string) => {
      const field = screen.getByRole('textbox', { name });
      field.focus();
      fireEvent.input(field, { target: { value } });
    };
    return { onClose, type };
  };

  it('says first that it would be lost, and closes at the second time', async () => {
    const { onClose, type } = draw();
    type('Name', 'new');
    await escape();
    expect([said(), onClose.mock.calls.length]).toEqual([
      'What you typed is not saved. Save it, or close again to drop it.',
      0,
    ]);
    type('Name', 'newer');
    expect(said()).toBeUndefined();
    await escape();
    fireEvent.mouseDown(screen.getByRole('dialog'));
    expect(onClose).not.toHaveBeenCalled();
    await escape();
    expect(onClose).toHaveBeenCalledTimes(1);
  });

  it('says so too of a text that a field cannot save', async () => {
    const { onClose, type } = draw();
    type('Port', 'eighty');
    await escape();
    expect([said() !== undefined, onClose.mock.calls.length]).toEqual([true, 0]);
  });

  it('closes when the platform closes it anyway', async () => {
    const { onClose, type } = draw();
    type('Name', 'new');
    await act(async () => void fireEvent(screen.getByRole('dialog'), new Event('cancel')));
    expect(onClose).toHaveBeenCalledTimes(1);
  });

  it('closes at once when nothing of a form changed, and where the form stores it', async () => {
    const guarded = draw();
    guarded.type('Filter', 'word');
    guarded.type('Port', '1');
    guarded.type('Port', '');
    guarded.type('Name', 'new');
    guarded.type('Name', 'old');
    await escape();
    expect(guarded.onClose).toHaveBeenCalledTimes(1);
    cleanup();
    const open = draw(true);
    open.type('Name', 'new');
    await escape();
    expect(open.onClose).toHaveBeenCalledTimes(1);
  });
});

function Publishing() {
  const [published, setPublished] = useState(false);
  return published ? <p>Published.</p> : <button onClick={() => setPublished(true)}>Publish</button>;
}
