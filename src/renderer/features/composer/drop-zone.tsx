import { Paperclip } from 'lucide-react';
import { useState, type DragEvent, type ReactNode } from 'react';
import { text } from '../../locales/text';
import { useApp } from '../../store/app-context';

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files');

/** The conversation and its composer: files that are dropped anywhere on it are attached to the next line. */
export function DropZone({ children }: { readonly children: ReactNode }) {
  const { commands, view } = useApp();
  const [dragging, setDragging] = useState(false);
  return (
    <main
      className="relative flex min-h-0 min-w-0 flex-1 flex-col bg-canvas"
      onDragEnter={(event) => {
        if (hasFiles(event)) setDragging(true);
      }}
      onDragOver={(event) => {
        if (hasFiles(event)) event.preventDefault();
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        // The pointer also leaves each element inside.
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setDragging(false);
      }}
      onDrop={(event) => {
        setDragging(false);
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        void commands.attachFiles([...event.dataTransfer.files]);
        view.focusComposer();
      }}
    >
      {children}
      {dragging && (
        <div className="pointer-events-none absolute inset-2 z-20 flex items-center justify-center rounded-xl border-2 border-dashed border-accent bg-canvas/80">
          <p className="flex items-center gap-2 rounded-lg bg-overlay px-4 py-2.5 text-base shadow-overlay">
            <Paperclip aria-hidden size={16} />
            {text('items.drop')}
          </p>
        </div>
      )}
    </main>
  );
}
