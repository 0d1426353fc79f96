import { Direction, RadioGroup } from 'radix-ui';
import { busyTurn } from '#shared/attention';
import type { Review } from '#shared/plan-review';
import { text } from '../../locales/text';
import { useAgentMode, useApp, useCurrentSession, useMirror } from '../../store/app-context';
import { Tooltip } from '../../ui/tooltip';
import { alongLine } from '../../ui/key-press';

const choices: readonly { readonly review: Review; readonly label: string; readonly about: string }[] = [
  { review: 'writes', label: text('composer.review.writes'), about: text('composer.review.aboutWrites') },
  { review: 'plan', label: text('composer.review.plan'), about: text('composer.review.aboutPlan') },
  { review: 'none', label: text('composer.review.none'), about: text('composer.review.aboutNone') },
];

const steps: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1 };

/** When a run in Agent Mode waits for the user; saved, and recorded with each line. */
export function ReviewSwitch() {
  const { commands, view } = useApp();
  const agent = useAgentMode();
  const chosen = useMirror(({ settings }) => settings.review);
  const running = useCurrentSession((session) => busyTurn(session)?.run !== undefined);
  const direction = Direction.useDirection();
  if (!agent) return null;
  const choose = (review: Review): void => {
    const choice = choices.find((one) => one.review === review);
    if (!choice || review === chosen) return;
    if (running) view.toast(text('composer.review.chosenLater', { choice: choice.label }));
    else view.announce(`${text('composer.review.chosen', { choice: choice.label })}. ${choice.about}`);
    void commands.changeSettings({ review });
  };
  const move = (by: number): void => {
    const at = choices.findIndex(({ review }) => review === chosen);
    choose(choices[(at + by + choices.length) % choices.length]?.review ?? chosen);
  };
  return (
    <div className="flex items-center gap-2">
      <span id="review-label" className="text-xs text-muted @max-xl:sr-only">
        {text('composer.review.label')}
      </span>
      <RadioGroup.Root
        aria-labelledby="review-label"
        orientation="horizontal"
        value={chosen}
        onValueChange={(value) => choose(value as Review)}
        onKeyDown={({ key }) => {
          // The group selects an item only if the key is still down when the focus arrives.
          const by = steps[key] ?? alongLine(key, direction);
          if (by !== undefined) move(by);
        }}
        className="flex rounded-md bg-active p-0.5"
      >
        {choices.map(({ review, label, about }) => (
          <Tooltip key={review} side="top" text={about}>
            <RadioGroup.Item
              value={review}
              aria-description={about}
              className="flex h-6 items-center rounded-sm px-2 text-xs font-medium whitespace-nowrap text-muted transition-colors hover:text-text aria-checked:bg-canvas aria-checked:text-text aria-checked:shadow-raised"
            >
              {label}
            </RadioGroup.Item>
          </Tooltip>
        ))}
      </RadioGroup.Root>
    </div>
  );
}
