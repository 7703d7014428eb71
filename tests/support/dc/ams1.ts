import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";

/** The sample site as upsert items in proto JSON. */
export interface Ams1 {
  readonly racks: readonly JsonObject[];
  readonly devices: readonly JsonObject[];
  readonly cracs: readonly JsonObject[];
  readonly cables: readonly JsonObject[];
  readonly fabric_links: readonly JsonObject[];
}

export const ams1: Ams1 = JSON.parse(readFileSync(join(import.meta.dirname, "../../fixtures/ams1.json"), "utf8"));
