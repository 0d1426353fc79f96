import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { text } from '../../locales/text';
import { IconButton } from '../../ui/icon-button';

/** The button that led to the branch on the screen: the row that replaces the old one takes the focus back. */
let pressed: { readonly turn: number; readonly of: SwitchKind; readonly by: -1 | 1 } | null = null;

type SwitchKind = 'line' | 'reply';

const names = {
  line: { '-1': text('message.previousLine'), '1': text('message.nextLine') },
  reply: { '-1': text('message.previousReply'), '1': text('message.nextReply') },
} as const;

interface BranchSwitchProps {
  readonly of: SwitchKind;
  readonly turn: number;
  /** The turns to choose from, this one included. */
  readonly among: readonly number[];
  readonly onChoose: (turn: number) => void;
  readonly onAnnounce: (text: string) => void;
}

/** Steps through the siblings of a turn: ‹ 2/3 ›. */
export function BranchSwitch({ of, turn, among, onChoose, onAnnounce }: BranchSwitchProps) {
  const box = useRef<HTMLDivElement>(null);
  const place = among.indexOf(turn);
  useEffect(() => {
    if (pressed?.turn !== turn || pressed.of !== of) return;
    const [back, on] = box.current?.querySelectorAll('button') ?? [];
    const button = pressed.by === -1 ? back : on;
    pressed = null;
    // At an end of the row the button is disabled; its neighbour takes the focus.
    (button?.disabled === true ? (button === back ? on : back) : button)?.focus();
    onAnnounce(text('message.version', { place: place + 1, count: among.length }));
  }, [turn, of, place, among.length, onAnnounce]);
  if (among.length < 2) return null;
  const step = (by: -1 | 1) => {
    const next = among[place + by];
    return (
      <IconButton
        icon={by === -1 ? ChevronLeft : ChevronRight}
        label={names[of][by]}
        disabled={next === undefined}
        onClick={() => {
          if (next === undefined) return;
          pressed = { turn: next, of, by };
          onChoose(next);
        }}
      />
    );
  };
  return (
    <div ref={box} className="flex items-center">
      {step(-1)}
      <span className="numbers text-xs text-muted">{`${place + 1}/${among.length}`}</span>
      {step(1)}
    </div>
  );
}
