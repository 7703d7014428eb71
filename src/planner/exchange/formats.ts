import { backlogFormat } from "./readers/backlog.ts";
import { beadsFormat } from "./readers/beads.ts";
import { chantFormat } from "./readers/chant.ts";
import { githubFormat } from "./readers/github.ts";
import { kiroFormat } from "./readers/kiro.ts";
import { openspecFormat } from "./readers/openspec.ts";
import { specKitFormat } from "./readers/spec_kit.ts";
import { taskMasterFormat } from "./readers/task_master.ts";
import type { SourceFormat } from "./source.ts";

/** Every source format, in the order in which detection tries them. */
export const SOURCE_FORMATS: readonly SourceFormat[] = [
  backlogFormat,
  openspecFormat,
  specKitFormat,
  kiroFormat,
  beadsFormat,
  taskMasterFormat,
  chantFormat,
  githubFormat,
];
