import { basename } from "node:path";
import { BoardAccess } from "#interfaces/board/access.ts";
import { createBoardHandler, isBoardStream, type ReviewActions } from "#interfaces/board/board_app.ts";
import { OperationError } from "#kernel/errors.ts";
import type { BoardChoices } from "#planner/board/wire.ts";
import { PROVIDER_NAMES } from "#planner/config/config.ts";
import type { PlannerContext } from "#planner/context.ts";
import { refuseInsideRun } from "#planner/operations/shared/change_spec.ts";
import { describeMergeRefusal, type MergeResult } from "#planner/runs/merge/complete_spec.ts";
import { acceptWork, rejectWork, sendBackWork } from "#planner/runs/review/send_back.ts";
import type { RunDeps } from "#planner/runs/run_types.ts";
import { PRIORITIES } from "#planner/spec/spec.ts";
import { listenOnAddress, SharedPort } from "#runtime/one_port.ts";
import { loadPage } from "#runtime/pages.ts";
import { formatCountWithNoun } from "#words/names.ts";
import { EXIT_STATUS, type ExitStatus } from "../exit_status.ts";
import { isMergeRefusal } from "../merge_output.ts";
import { openInBrowser } from "../open_browser.ts";
import type { OpenedProject } from "../open_project.ts";
import { print, sanitizeLine } from "../output/print.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import { openRunDeps } from "../work/run_deps.ts";
import { listenForSignals, type SignalListener } from "../work/signals.ts";

/** Milliseconds that running requests may take after the first signal. */
const SHUTDOWN_GRACE_MS = 5000;

export interface BoardOptions {
  /** Port to listen on; 0 for a free one. */
  readonly port: number;
  /** True to open the address in a browser. */
  readonly opensBrowser: boolean;
}

/** Serves the board until SIGINT, SIGTERM or SIGHUP. Returns 143 if requests were aborted, otherwise 0. */
export async function serveBoard(
  project: OpenedProject,
  log: StderrLogger,
  { port, opensBrowser }: BoardOptions,
): Promise<ExitStatus> {
  const { context, root } = project;
  refuseInsideRun(context, "board");
  const config = await context.readConfig().catch(() => null);
  const name = config?.project.name ?? basename(root);
  const access = new BoardAccess();
  const shutdown = new AbortController();
  const signals = listenForSignals(() => shutdown.abort());
  const handler = createBoardHandler({
    context,
    access,
    project: name,
    loadChoices: () => readBoardChoices(context),
    loadPage: () => loadPage("board"),
    review: createReviewActions(project, signals),
    reportDefect: (error) =>
      log.warn(`The board met a defect: ${String(error instanceof Error ? error.stack : error)}`),
    shutdown: shutdown.signal,
  });
  const server = new SharedPort({ handler, isStream: isBoardStream });
  access.setPort(await listenOnAddress(server, { host: "127.0.0.1", port }));
  print(`Board of ${sanitizeLine(name)}: ${access.address}\n`);
  log.note("Open the address in one browser. Ctrl-C ends the board.");
  const opened = opensBrowser ? openInBrowser(access.address, (why) => log.note(why)) : undefined;
  try {
    await waitForAbort(shutdown.signal);
    const isClean = await server.close(SHUTDOWN_GRACE_MS);
    return isClean ? EXIT_STATUS.ok : EXIT_STATUS.terminated;
  } finally {
    opened?.();
    signals.close();
  }
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

async function readBoardChoices(context: PlannerContext): Promise<BoardChoices> {
  const [templates, config] = await Promise.all([context.templates.names(), context.readConfig()]);
  const agents = new Set([config.defaults.provider, ...Object.keys(config.providers), ...PROVIDER_NAMES]);
  return { agents: [...agents], templates, priorities: PRIORITIES };
}

/** Creates the decisions about work that the board offers. They do not run commands that no person has accepted. */
function createReviewActions(project: OpenedProject, stop: SignalListener): ReviewActions {
  const deps = (): Promise<RunDeps> => openRunDeps(project, { announced: null, tell: () => {} });
  return {
    async accept(id) {
      const lines = (await acceptWork(await deps(), { id, stop })).map(formatMergeResult);
      return lines.length === 0 ? "Nothing to merge" : lines.join("\n");
    },
    async back(id, text) {
      const { specs } = await sendBackWork(await deps(), id, text);
      return `Sent back: ${specs.join(", ")}`;
    },
    async reject(id) {
      const results = await rejectWork(await deps(), id);
      return results
        .flatMap(({ spec_id, notes, kept }) => [
          `Rejected spec: ${spec_id}`,
          ...notes,
          ...(kept === null ? [] : [`Worktree and branch are still there: ${kept}`]),
        ])
        .join("\n");
    },
  };
}

/** Formats the result of a merge. @throws OperationError if the spec was not merged. */
function formatMergeResult(result: MergeResult): string {
  if (isMergeRefusal(result)) throw new OperationError("failed_precondition", describeMergeRefusal(result));
  const notes = [...result.notes, ...(result.kept === null ? [] : [`The worktree is kept: ${result.kept}`])];
  return [`Merged spec: ${result.spec_id} (${formatCountWithNoun(result.commits.length, "commit")})`, ...notes].join(
    "\n",
  );
}
