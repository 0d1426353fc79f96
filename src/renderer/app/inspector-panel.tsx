import type { ReactNode } from 'react';
import { useApp, useCurrentSession, useView } from '../store/app-context';
import { classNames } from '../ui/class-names';
import { later } from '../ui/later';

const Inspector = later(async () => (await import('../features/inspector/inspector')).Inspector);

export interface InspectorPanelProps {
  readonly overlaid: boolean;
  /** The divider at its edge. */
  readonly children: ReactNode;
}

/** The inspector at the right: beside the conversation, or over it where there is no room. */
export function InspectorPanel({ overlaid, children }: InspectorPanelProps) {
  const { commands, view } = useApp();
  const session = useCurrentSession((current) => current);
  const { turn, tab } = useView((state) => state.inspected);
  return (
    <aside
      aria-label="Inspector"
      className={classNames(
        'h-full shrink-0 bg-canvas',
        overlaid
          ? 'fixed inset-y-0 right-0 z-20 w-(--inspector) max-w-[92vw] border-l border-line shadow-overlay'
          : 'relative w-(--inspector) max-w-[50vw]',
      )}
    >
      {children}
      <Inspector
        session={session}
        turn={turn}
        tab={tab}
        onTab={(next) => view.set({ inspected: { turn, tab: next } })}
        onTurn={(next) => view.set({ inspected: { turn: next, tab } })}
        loadPrompt={commands.previewPrompt}
        loadSteps={commands.sentSteps}
        loadImage={commands.snapshotImage}
        previewRoute={commands.previewRoute}
        onAnswerApproval={(answer) => void commands.answerApproval(answer)}
        onEditApproval={commands.editApproval}
        onRun={(turn, wish) => void commands.steerRun(turn, wish)}
        onStop={(stopped) => void commands.stop(stopped)}
        onCopy={(text) => void commands.copy(text)}
        onClose={() => void commands.toggleInspector()}
      />
    </aside>
  );
}
