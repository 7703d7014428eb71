import { type PictureOptions, readRenderOptions, type ScreenReplies } from "#dc/render/read_options.ts";
import { type RenderPorts, renderScreen } from "#dc/render/render_screen.ts";
import type { RenderOptions, RenderResult } from "#gen/datacenter/v1/datacenter_pb.ts";
import type { ReadSession } from "../rpc.ts";

interface PicturedReply<Name extends keyof ScreenReplies, Reply> {
  readonly screen: Name;
  readonly requestedOptions: RenderOptions | undefined;
  /** Defaults for options that `render` omits, derived from other fields of the request. */
  readonly defaultOptions?: Partial<Pick<PictureOptions, "coloring" | "view" | "highlightLabel">>;
  /** Computes the reply and the input of its picture. */
  readonly computeReply: (
    options: PictureOptions,
  ) => Promise<{ readonly reply: Reply; readonly picture: () => ScreenReplies[Name] }>;
}

/**
 * Returns a screen's reply with its picture. Checks the options before computing anything; with the format NONE, draws
 * nothing.
 *
 * @throws Refusal for invalid options
 */
export async function replyWithPicture<
  Name extends keyof ScreenReplies,
  Reply extends { render?: RenderResult | undefined },
>(
  { context, scheduler }: Pick<ReadSession, "context" | "scheduler">,
  { screen, requestedOptions, defaultOptions = {}, computeReply }: PicturedReply<Name, Reply>,
): Promise<Reply> {
  const read = readRenderOptions(screen, requestedOptions);
  const options = {
    ...read,
    ...(!requestedOptions?.coloring && defaultOptions.coloring !== undefined && { coloring: defaultOptions.coloring }),
    ...(!requestedOptions?.view && defaultOptions.view !== undefined && { view: defaultOptions.view }),
    ...(defaultOptions.highlightLabel !== undefined && { highlightLabel: defaultOptions.highlightLabel }),
  };
  const { reply, picture } = await computeReply(options);
  if (options.format === "NONE") return reply;
  await scheduler.yieldIfDue();
  reply.render = await renderScreen(screen, picture(), { options, ports: createRenderPorts({ context, scheduler }) });
  return reply;
}

/** Returns the dependencies of a rendering. The rendering yields to other calls at its checkpoints. */
export function createRenderPorts({ context, scheduler }: Pick<ReadSession, "context" | "scheduler">): RenderPorts {
  return { rasterize: context.rasterize, loadViewer: context.loadViewer, checkpoint: () => scheduler.yieldIfDue() };
}
