import { type PictureOptions, readRenderOptions } from "#dc/render/read_options.ts";
import { type RenderPorts, renderScreen } from "#dc/render/render_screen.ts";
import type { ScreenReplies } from "#dc/render/screens.ts";
import type { RenderOptions, RenderResult } from "#gen/datacenter/v1/datacenter_pb.ts";
import type { ReadSession } from "../rpc.ts";

interface Pictured<Name extends keyof ScreenReplies, Reply> {
  readonly screen: Name;
  readonly asked: RenderOptions | undefined;
  /** Options that other fields of the request decide where `render` leaves them open. */
  readonly usual?: Partial<Pick<PictureOptions, "coloring" | "view">>;
  /** The answer, and what its picture is drawn from. */
  readonly answer: () => Promise<{ readonly reply: Reply; readonly picture: () => ScreenReplies[Name] }>;
}

/**
 * Answers a screen with its picture. Options are checked before anything is computed; with NONE nothing is drawn.
 *
 * @throws Refusal for options that cannot be followed
 */
export async function pictured<Name extends keyof ScreenReplies, Reply extends { render?: RenderResult | undefined }>(
  { context, scheduler }: Pick<ReadSession, "context" | "scheduler">,
  { screen, asked, usual = {}, answer }: Pictured<Name, Reply>,
): Promise<Reply> {
  const read = readRenderOptions(screen, asked);
  const options = {
    ...read,
    ...(!asked?.coloring && usual.coloring !== undefined && { coloring: usual.coloring }),
    ...(!asked?.view && usual.view !== undefined && { view: usual.view }),
  };
  const { reply, picture } = await answer();
  if (options.format === "NONE") return reply;
  await scheduler.yieldIfDue();
  reply.render = await renderScreen(screen, picture(), { options, ports: renderPorts({ context, scheduler }) });
  return reply;
}

/** How a picture is made in this process, beside its other calls. */
export function renderPorts({ context, scheduler }: Pick<ReadSession, "context" | "scheduler">): RenderPorts {
  return { rasterize: context.rasterize, loadViewer: context.loadViewer, checkpoint: () => scheduler.yieldIfDue() };
}
