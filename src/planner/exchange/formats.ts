import { backlog } from "./readers/backlog.ts";
import { beads } from "./readers/beads.ts";
import { chant } from "./readers/chant.ts";
import { github } from "./readers/github.ts";
import { kiro } from "./readers/kiro.ts";
import { openspec } from "./readers/openspec.ts";
import { specKit } from "./readers/spec_kit.ts";
import { taskMaster } from "./readers/task_master.ts";
import type { SourceFormat } from "./source.ts";

/** Every source format, in the order in which detection tries them. */
export const FORMATS: readonly SourceFormat[] = [backlog, openspec, specKit, kiro, beads, taskMaster, chant, github];
