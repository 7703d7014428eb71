import { backlog } from "./readers/backlog.ts";
import type { SourceFormat } from "./source.ts";

/** Every format in the order in which detection names them. */
export const FORMATS: readonly SourceFormat[] = [backlog];
