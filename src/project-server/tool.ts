import type { z } from 'zod';
import type { JsonObject } from '#shared/json';
import type { Result } from '#shared/result';
import type { ProjectRoot } from './project-root';
import type { TimeGuard } from './time-guard';

export interface ToolContext {
  readonly root: ProjectRoot;
  readonly guard: TimeGuard;
  readonly signal: AbortSignal;
}

/** A tool's answer: the structured result, and a short text for people and older clients. */
export interface ToolAnswer<Output> {
  readonly structured: Output;
  readonly text: string;
}

/** One row of the server: a tool with both schemas. */
export interface ProjectTool<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  /** The tool changes files; absent: it only reads. */
  readonly writes?: true;
  readonly run: (
    input: z.output<Input>,
    context: ToolContext,
  ) => Promise<Result<ToolAnswer<z.input<Output>>>>;
}

/** A row whose schema types are hidden. */
export interface AnyProjectTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  readonly writes?: true;
  readonly run: (input: unknown, context: ToolContext) => Promise<Result<ToolAnswer<JsonObject>>>;
}

/** Hides a row's own types: its schema parses the input before `run` receives it. */
export function projectTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: ProjectTool<Input, Output>,
): AnyProjectTool {
  const run = tool.run as unknown as AnyProjectTool['run'];
  return { ...tool, run };
}
