import { FolderOpen } from 'lucide-react';
import { text } from '../../locales/text';
import { useAgentMode, useApp, useMirror, useProject } from '../../store/app-context';
import { Button } from '../../ui/button';
import { folderName } from '../../ui/folder-name';

/** Agent Mode requires a folder: until the user chooses one, this card asks for it. */
export function ProjectCard() {
  const { commands } = useApp();
  const project = useProject();
  const agent = useAgentMode();
  const suggestion = useMirror(({ info }) => info?.projectSuggestion ?? null);
  if (!agent || project !== null) return null;
  return (
    <section
      aria-label={text('composer.project.name')}
      className="mb-2 flex animate-appear flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border border-line bg-copper-soft py-2 pe-2 ps-3"
    >
      <FolderOpen aria-hidden size={16} className="shrink-0 text-copper-text" />
      <div className="min-w-48 flex-1 text-sm">
        <p className="font-medium">{text('composer.project.needed')}</p>
        <p className="text-muted">{text('composer.project.reach')}</p>
      </div>
      <div className="flex gap-2">
        {suggestion !== null && (
          <Button title={suggestion} onClick={() => void commands.takeProject(suggestion)}>
            {text('composer.project.use', { folder: folderName(suggestion) })}
          </Button>
        )}
        <Button tone="primary" onClick={() => void commands.chooseProject()}>
          {text('composer.project.choose')}
        </Button>
      </div>
    </section>
  );
}
