import { maxInstructions } from '#shared/setting-rows';
import { aboutTokens } from '#shared/text-tokens';
import { useEffect, useState } from 'react';
import { text } from '../../locales/text';
import { useApp, useCurrentSession, useMirror, useProject, useView } from '../../store/app-context';
import { instructionsDraft } from '../../store/drafts';
import { Button } from '../../ui/button';
import { TextAreaField } from '../../ui/field';
import { folderName } from '../../ui/folder-name';
import { ProjectFiles } from './project-files';

interface BoxProps {
  /** Where its text is kept until it is saved. */
  readonly draftKey: string;
  readonly label: string;
  readonly hint: string;
  readonly saved: string;
  readonly onSave: (text: string) => void;
}

/** The text of a box: what was typed last, also before the settings were closed, until it is saved. */
function useDraftText(key: string, saved: string) {
  const { drafts } = useApp();
  const [draft, setDraft] = useState(() => drafts.read(key) || saved);
  useEffect(() => {
    // A blank stands for a box that was emptied: an empty draft would be none.
    drafts.write(key, draft.trim() === saved ? '' : draft || ' ');
  }, [drafts, key, draft, saved]);
  return [draft, setDraft] as const;
}

/** One text box with its size in tokens; nothing is saved before the user says so. */
function Box({ draftKey, label, hint, saved, onSave }: BoxProps) {
  const [draft, setDraft] = useDraftText(draftKey, saved);
  const { length } = draft;
  const unsaved = draft.trim() !== saved;
  const problems =
    length > maxInstructions ? [text('settings.instructions.tooLong', { length, max: maxInstructions })] : [];
  return (
    <TextAreaField
      label={label}
      hint={hint}
      problems={problems}
      rows={4}
      value={draft}
      onChange={setDraft}
      extra={
        <div className="mt-1 flex items-center justify-between gap-2">
          <span className="numbers flex-1 text-xs text-muted">
            {text('composer.aboutTokens', { tokens: aboutTokens(draft) })}
            {unsaved && ` · ${text('settings.instructions.unsaved')}`}
          </span>
          {unsaved && (
            <Button
              tone="quiet"
              aria-label={text('settings.instructions.discardBox', { box: label })}
              onClick={() => setDraft(saved)}
            >
              {text('settings.instructions.discard')}
            </Button>
          )}
          <Button
            aria-label={text('settings.instructions.saveBox', { box: label })}
            disabled={!unsaved || problems.length > 0}
            onClick={() => onSave(draft.trim())}
          >
            {text('settings.instructions.save')}
          </Button>
        </div>
      }
    />
  );
}

/** The user's own instructions for models: for every session, for the project and for this session. */
export function InstructionsSection() {
  const { commands } = useApp();
  const { instructions, projectInstructions } = useMirror((mirror) => mirror.settings);
  const project = useProject();
  const sessionId = useView((state) => state.sessionId);
  const ofSession = useCurrentSession((session) => session?.instructions ?? '');
  const saveProject = (folder: string, changed: string) => {
    const { [folder]: _before, ...others } = projectInstructions;
    void commands.changeSettings({
      projectInstructions: changed === '' ? others : { ...others, [folder]: changed },
    });
  };
  return (
    <>
      <p className="text-sm text-muted">{text('settings.instructions.about')}</p>
      <ProjectFiles />
      <Box
        draftKey="instructions"
        label={text('settings.instructions.app')}
        hint={text('settings.instructions.appHint')}
        saved={instructions}
        onSave={(changed) => void commands.changeSettings({ instructions: changed })}
      />
      {project !== null && (
        <Box
          key={project}
          draftKey={`instructions.project.${project}`}
          label={text('settings.instructions.project', { folder: folderName(project) })}
          hint={text('settings.instructions.projectHint')}
          saved={projectInstructions[project] ?? ''}
          onSave={(changed) => saveProject(project, changed)}
        />
      )}
      {sessionId !== null && (
        <Box
          key={sessionId}
          draftKey={instructionsDraft(sessionId)}
          label={text('settings.instructions.session')}
          hint={text('settings.instructions.sessionHint')}
          saved={ofSession}
          onSave={(changed) => void commands.setInstructions(changed)}
        />
      )}
    </>
  );
}
