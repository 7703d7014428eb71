import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { emptyFolder } from "../support/dc_server.ts";
import { LinesOfProcess } from "../support/lines_of_process.ts";
import { PLANNER, runPlanner } from "../support/planner_command.ts";

const location = { site_id: "S1", floor_number: 1 };
const device = (code: string) => ({ device: { code, kind: "DEVICE_KIND_OTHER", location } });
const lines = (items: readonly object[]) => items.map((item) => `${JSON.stringify(item)}\n`).join("");
/** More than a pipe holds, so that it is written only when the import reads it. */
const MANY = lines(Array.from({ length: 3000 }, (_, index) => device(`D${index}`)));

/** Reads events until one says that the import waits. */
async function waits(process: LinesOfProcess): Promise<void> {
  while ((await process.next())["event"] !== "waiting");
}

test("imports of every kind wait for another process for longer than a call does, and Ctrl-C ends the wait with 130", async () => {
  const cwd = emptyFolder();
  await runPlanner(["dc", "import", "-"], { cwd, input: lines([device("A")]) });
  writeFileSync(join(cwd, "B.jsonl"), lines([device("B")]));
  writeFileSync(join(cwd, "place.yaml"), "kind: rack\ncolumns: { code: code, site: location.site_id }\n");
  writeFileSync(join(cwd, "place.csv"), "code,site\nR1,S1\n");
  writeFileSync(join(cwd, "type.yaml"), "manufacturer: Acme\nmodel: Server\nslug: acme-server\nu_height: 2\n");
  const running: LinesOfProcess[] = [];
  const start = (...words: string[]) => {
    const made = new LinesOfProcess([...PLANNER, "dc", ...words, "--json"], cwd);
    running.push(made);
    return made;
  };
  /** An import that has opened the database and reads standard input. */
  const reading = async (...flags: string[]) => {
    const made = start("import", "-", ...flags);
    await new Promise((resolve) => made.child.stdin.write(MANY, resolve));
    return made;
  };
  try {
    const [batches, atomic] = await Promise.all([reading(), reading("--atomic")]);
    using other = new DatabaseSync(join(cwd, "planner-dc.sqlite"));
    other.exec("BEGIN IMMEDIATE");

    batches.child.stdin.end();
    atomic.child.stdin.end();
    const source = start("import", "--from", "csv", "place.csv", "--mapping", "place.yaml");
    const types = start("types", "import", "type.yaml");
    const file = start("import", "B.jsonl", "--atomic");
    const isWaiting = ({ stderr, child }: LinesOfProcess) =>
      stderr.includes("Waiting for another process") || child.exitCode !== null;
    await Promise.all([batches, atomic, types].map(waits));
    while (![source, file].every(isWaiting)) await Bun.sleep(20);
    for (const { child } of [batches, atomic]) child.kill("SIGINT");
    const stopped = await Promise.all([batches.ended, atomic.ended]);
    other.exec("ROLLBACK");
    const done = await Promise.all([source.ended, types.ended, file.ended]);

    for (const { code, lines: told, stderr } of stopped) {
      expect({ code, stderr }).toEqual({ code: 130, stderr: "" });
      expect(JSON.parse(told.at(-1) ?? "")).toMatchObject({ event: "end", state: "stopped", unreadable: 0 });
    }
    for (const { code, lines: told } of done) {
      expect({ code, told }).toMatchObject({ code: 0 });
      expect(JSON.parse(told.at(-1) ?? "")).toMatchObject({ event: "end" });
    }
    const there = await runPlanner(["dc", "export"], { cwd });
    expect(there.stdout.split("\n").filter((line) => line !== "")).toHaveLength(3);
  } finally {
    for (const one of running) await one[Symbol.asyncDispose]();
  }
});
