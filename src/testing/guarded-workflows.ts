import type { WorkflowDefinition } from '#shared/workflow';
import { sampleWorkflow } from './sample-workflows';

/** Writes a file of the project; uses every restriction that a workflow can put on a model. */
export const writeNotes: WorkflowDefinition = sampleWorkflow({
  WorkflowId: 'write_notes',
  Title: 'Write the notes',
  Description: 'Writes a file of notes into the project.',
  UserIntentPatterns: ['Write the meeting minutes'],
  RequiredInputs: [
    {
      name: 'file',
      question: 'Which file?',
      type: 'path',
      required: true,
      validation: { maxLength: 100 },
    },
  ],
  InstructionText: '1. Read the project.\n2. Ask for approval.\n3. Write the file the user named.',
  PermittedTools: ['mcp://filesystem.write_file', 'mcp://project.list_files', 'agent_ddr_manager'],
  RequiredApprovals: [{ action: 'Write the notes', tool: 'mcp://filesystem.write_file' }],
  CompletionCriteria: [
    { text: 'The file is there.', check: { kind: 'file', input: 'file' } },
    { text: 'You are content with the notes.' },
  ],
  FollowUpOptions: [{ text: 'Send them to the team.' }],
  Ddr: 'WFL-901',
});

/** Has no inputs and no tools, and starts by itself. */
export const greet: WorkflowDefinition = sampleWorkflow({
  WorkflowId: 'greet_user',
  Title: 'Greet the user',
  UserIntentPatterns: ['Say a proper good morning'],
  InstructionText: 'Greet the user.',
  PermittedTools: [],
  CompletionCriteria: [{ text: 'The user was greeted.' }],
  AutoStart: true,
  Ddr: 'WFL-901',
});

/** Would start by itself, but is experimental. */
const tryOut: WorkflowDefinition = sampleWorkflow({
  WorkflowId: 'try_greeting',
  Title: 'Try a new greeting',
  UserIntentPatterns: ['Try the new greeting'],
  InstructionText: 'Greet the user in a new way.',
  PermittedTools: [],
  CompletionCriteria: [{ text: 'The user was greeted.' }],
  AutoStart: true,
  Visibility: 'experimental',
  Ddr: 'WFL-901',
});

/** Can only run while a DDR is in focus. */
export const focused: WorkflowDefinition = sampleWorkflow({
  WorkflowId: 'needs_focus',
  Title: 'Polish the active record',
  UserIntentPatterns: ['Polish the record in focus'],
  Preconditions: [{ kind: 'focus', entityType: 'ddr', because: 'Choose a DDR first.' }],
  Ddr: 'WFL-901',
});

/** Can only run on an existing file. */
export const readNotes: WorkflowDefinition = sampleWorkflow({
  WorkflowId: 'read_notes',
  Title: 'Read the notes aloud',
  UserIntentPatterns: ['Read the old minutes aloud'],
  RequiredInputs: [{ name: 'file', question: 'Which file?', type: 'path', required: true, validation: {} }],
  PermittedTools: ['mcp://project.list_files'],
  Preconditions: [{ kind: 'file', input: 'file', because: 'Only what is there can be read.' }],
  Ddr: 'WFL-901',
});

export const guardedWorkflows = [writeNotes, greet, tryOut, focused, readNotes];
