import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { REPOSITORY } from "../../support/source_code.ts";

/** The proto files of the last release, as `buf build --exclude-source-info -o released.binpb.gz` writes them. */
const RELEASED = "tests/fixtures/proto/released.binpb.gz";

test("the proto files break no client of the last release", () => {
  const buf = join(REPOSITORY, "node_modules", ".bin", "buf");
  const { status, stdout, stderr } = spawnSync(buf, ["breaking", "--against", RELEASED], { cwd: REPOSITORY });

  expect([status, `${stdout}${stderr}`]).toEqual([0, ""]);
});
