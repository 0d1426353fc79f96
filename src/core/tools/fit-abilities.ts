import { appError, type AppError } from '#shared/app-error';
import type { Abilities } from '#shared/known-models';
import { err, ok, type Result } from '#shared/result';
import { aboutTokens } from '#shared/text-tokens';
import type { ModelMessage, ModelRequest } from '../ports/llm';
import { requestText } from './model-usage';

const imagesIn = (message: ModelMessage): number =>
  'images' in message && message.images ? message.images.length : 0;

const noImages = (model: string): AppError =>
  appError('HOST', 'INVALID_INPUT', `The model ${model} reads no images.`, {
    hint: 'Remove the images, or choose another model. If this one reads images, say so in the list of models.',
  });

/** An earlier message without its images; a note stands in their place. */
function withoutImages(message: ModelMessage): ModelMessage {
  const count = imagesIn(message);
  if (count === 0 || !('images' in message)) return message;
  const { images: _images, ...rest } = message;
  const note = `[${count} ${count === 1 ? 'image' : 'images'} left out: this model reads none]`;
  return { ...rest, content: rest.content === '' ? note : `${rest.content}\n\n${note}` };
}

/**
 * The request as a model with these abilities can take it: no tools for one that calls none, no longer reply than
 * it can give, earlier images as a note. HOST/INVALID_INPUT for an image of the line itself. What is not known
 * changes nothing.
 */
export function fitAbilities(request: ModelRequest, abilities: Abilities): Result<ModelRequest> {
  const { tools, maxOutputTokens, messages, ...rest } = request;
  const textOnly = abilities.images === false;
  const line = messages.findLast(({ role }) => role === 'user');
  if (textOnly && line && imagesIn(line) > 0) return err(noImages(request.model.model));
  return ok({
    ...rest,
    messages:
      textOnly && messages.some((each) => imagesIn(each) > 0) ? messages.map(withoutImages) : messages,
    ...(abilities.tools !== false && tools && { tools }),
    ...(maxOutputTokens !== undefined && {
      maxOutputTokens: Math.min(maxOutputTokens, abilities.outputTokens ?? Infinity),
    }),
  });
}

/** What every model can write. */
const modestReply = 8_192;
/** A request may have this many times its estimated tokens. */
const margin = 1.3;

/** The sizes of a model in tokens, as far as they are known. */
interface ModelSizes {
  readonly outputTokens?: number | undefined;
  readonly contextTokens?: number | undefined;
}

/**
 * The longest reply, in tokens, that a model can give to a request: what it writes at most, or what its context has
 * left if that is less. Undefined when its longest reply is not known.
 */
export function maxReplyTokensOf(
  request: Pick<ModelRequest, 'messages' | 'tools'>,
  { outputTokens, contextTokens }: ModelSizes,
): number | undefined {
  if (outputTokens === undefined || contextTokens === undefined) return outputTokens;
  const left = contextTokens - Math.ceil(aboutTokens(requestText(request)) * margin);
  return Math.min(outputTokens, Math.max(left, modestReply));
}
