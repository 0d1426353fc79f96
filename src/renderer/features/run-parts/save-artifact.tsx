import type { Artifact } from '#shared/execution';
import { Save } from 'lucide-react';
import { useState } from 'react';
import { text } from '../../locales/text';
import { useArtifactCalls } from './artifact-calls';
import { fileNameOf, isBase64 } from '../../ui/media-kind';

/** Saves an artifact and reports the outcome in words. */
export function useSaved(artifact: Artifact) {
  const { saveArtifact } = useArtifactCalls();
  const [message, setMessage] = useState('');
  const save = async () => {
    const as = { name: fileNameOf(artifact), ...(isBase64(artifact.type) && { base64: true }) };
    const saved = await saveArtifact(artifact.handle, as);
    if (!saved.ok) setMessage([saved.error.message, saved.error.hint].filter(Boolean).join(' '));
    else if (saved.value !== null) setMessage(text('runParts.artifact.savedAs', { file: saved.value }));
  };
  return { message, save };
}

export function SaveButton({ name, onSave }: { readonly name: string; readonly onSave: () => void }) {
  return (
    <button
      type="button"
      aria-label={text('runParts.artifact.saveName', { name })}
      className="flex h-6 shrink-0 items-center gap-1.5 rounded-md px-1.5 text-xs text-muted hover:bg-hover hover:text-text"
      onClick={onSave}
    >
      <Save aria-hidden className="size-3.5" />
      <span>{text('runParts.artifact.save')}</span>
    </button>
  );
}
