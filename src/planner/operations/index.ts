import type { ToolDefinition } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { add } from "./add.ts";
import { archive } from "./archive.ts";
import { cancel } from "./cancel.ts";
import { diagnose } from "./diagnose.ts";
import { finalize } from "./finalize.ts";
import { lint } from "./lint.ts";
import { log } from "./log.ts";
import { pause } from "./pause.ts";
import { ready } from "./ready.ts";
import { reset } from "./reset.ts";
import { search } from "./search.ts";
import { specGet } from "./spec_get.ts";
import { specList } from "./spec_list.ts";
import { specUpdate } from "./spec_update.ts";
import { split } from "./split.ts";
import { status } from "./status.ts";
import { takeover } from "./takeover.ts";
import { verify } from "./verify.ts";
import { watchStart } from "./watch_start.ts";
import { watchStatus } from "./watch_status.ts";
import { watchStop } from "./watch_stop.ts";
import { workList } from "./work_list.ts";
import { workStart } from "./work_start.ts";

/** Every tool, ordered as `tools/list`. Source: docs/contract/spec-tool.md#tools; order from docs/decisions.md#s-18. */
export const tools: readonly ToolDefinition<PlannerContext>[] = [
  specList,
  specGet,
  ready,
  status,
  log,
  search,
  diagnose,
  lint,
  specUpdate,
  add,
  finalize,
  reset,
  cancel,
  archive,
  verify,
  workStart,
  workList,
  pause,
  takeover,
  watchStatus,
  watchStart,
  watchStop,
  split,
];
