import { expect, test } from "bun:test";
import { hostname } from "node:os";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { openProcessRecords } from "#planner/store/processes/process_records.ts";
import { openWorkStore } from "#planner/store/processes/work_store.ts";
import { sleeper } from "../../../../support/sleeper.ts";
import { tempProject } from "../../../../support/temp_project.ts";

const ID = "2026-01-05-001-abc" as SpecId;
const clock = { now: () => new Date() };

function recordOf(pid: number) {
  const started_at = new Date().toISOString();
  return { process_id: `${ID}-${pid}`, spec_id: ID, pid, started_at, mode: "single" };
}

test("start and finish write the record of the contract, and the first end stays", async () => {
  using project = tempProject();
  const records = openProcessRecords(project.root, clock);
  const record = recordOf(process.pid);
  const file = `.planner/processes/${record.process_id}.json`;
  const at = new Date("2026-01-05T12:00:00Z");

  await records.startRecord(record);
  const running = JSON.parse(project.read(file));
  const finished = await records.finishRecord(record.process_id, { status: "completed" }, at);
  const again = await records.finishRecord(record.process_id, { status: "failed", error: "late" }, new Date());

  expect(running).toEqual({ ...record, status: "running", completed_at: null, host: hostname() });
  expect([finished, again]).toEqual([true, false]);
  expect(await openWorkStore(project.root, clock).readProcesses()).toEqual([
    { ...record, status: "completed", completed_at: at.toISOString() },
  ]);
  expect(await records.finishRecord("nobody-1", { status: "failed", error: "x" }, at)).toBe(false);
});

test("announce writes the record where the process has none of its own, be it running or ended", async () => {
  using project = tempProject();
  const records = openProcessRecords(project.root, clock);
  const stored = () => openWorkStore(project.root, clock).readProcesses();
  const record = recordOf(process.pid);
  const old = { ...record, started_at: "2025-01-05T12:00:00.000Z" };

  await records.announceRecord(old);
  await records.announceRecord(record);
  const announced = await stored();
  await records.finishRecord(record.process_id, { status: "completed" }, new Date());
  await records.announceRecord(record);

  expect(announced).toEqual([{ ...record, status: "running", completed_at: null }]);
  expect(await stored()).toMatchObject([{ started_at: record.started_at, status: "completed" }]);
  expect(project.list(".planner/processes")).toEqual([`${record.process_id}.json`]);
});

test("repair makes records failed whose process is gone, on disk, and no other", async () => {
  using project = tempProject();
  const records = openProcessRecords(project.root, clock);
  const gone = sleeper();
  await records.startRecord(recordOf(process.pid));
  await records.startRecord(recordOf(gone.pid));
  await gone[Symbol.asyncDispose]();

  const repaired = await records.repairRecords();
  const again = await records.repairRecords();

  expect(repaired.map(({ pid, status }) => [pid, status])).toEqual([[gone.pid, "failed"]]);
  expect(again).toEqual([]);
  expect(JSON.parse(project.read(`.planner/processes/${ID}-${gone.pid}.json`)).status).toBe("failed");
  expect(JSON.parse(project.read(`.planner/processes/${ID}-${process.pid}.json`)).status).toBe("running");
});

test("a run that was killed after its spec was completed, and before its record was, counts as completed", async () => {
  const before = new Date("2026-01-05T12:00:00Z").toISOString();
  const after = "2026-01-05T12:00:09.000Z";
  const completed = `status: completed\ncompleted_at: ${after}\n`;
  const ends: readonly (readonly [mode: string, frontmatter: string, file: string, end: object])[] = [
    ["single", completed, "specs", { status: "completed", completed_at: after }],
    ["chain", completed, "archive/2026-01-05", { status: "completed", completed_at: after }],
    ["single", "status: in_progress\n", "specs", { status: "failed" }],
    ["single", "status: failed\n", "specs", { status: "failed" }],
    ["single", "status: completed\ncompleted_at: 2026-01-05T11:59:00.000Z\n", "specs", { status: "failed" }],
    ["single", "status: completed\n", "specs", { status: "failed" }],
    ["single", "status: [broken\n", "specs", { status: "failed" }],
    ["split", "status: pending\ntype: driver\nmembers: [x.1, x.2]\n", "specs", { status: "completed" }],
    ["split", completed, "specs", { status: "failed" }],
    ["single", completed, "nowhere", { status: "failed" }],
  ];
  const gone = sleeper();
  await gone[Symbol.asyncDispose]();
  for (const [mode, frontmatter, folder, end] of ends) {
    using project = tempProject();
    const records = openProcessRecords(project.root, clock);
    await records.startRecord({ ...recordOf(gone.pid), mode, started_at: before });
    project.write(`.planner/${folder}/${ID}.md`, `---\n${frontmatter}---\n\n# Title\n`);

    const repaired = await records.repairRecords();

    expect({ mode, frontmatter, repaired }).toMatchObject({ mode, frontmatter, repaired: [end] });
    expect(await openWorkStore(project.root, clock).readProcesses()).toMatchObject([end]);
  }
});
