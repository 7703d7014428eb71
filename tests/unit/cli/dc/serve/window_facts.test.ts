import { expect, test } from "bun:test";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { createWindowGauges } from "#cli/dc/serve/inventory_facts.ts";
import { type ListedWindow, ListedWindowSchema, WindowState, WindowVerdict } from "#gen/datacenter/v1/windows_pb.ts";

const NOW = Date.parse("2026-01-02T03:00:00Z");
const HOUR = 3_600_000;

function listed(code: string, state: WindowState, startHours: number, verdict: WindowVerdict): ListedWindow {
  const startsAt = timestampFromMs(NOW + startHours * HOUR);
  const endsAt = timestampFromMs(NOW + (startHours + 1) * HOUR);
  return create(ListedWindowSchema, { window: { code, state, startsAt, endsAt }, verdict });
}

const values = (open: readonly ListedWindow[]) =>
  createWindowGauges(open, NOW).flatMap(({ name, samples }) =>
    samples.map(({ labels = {}, value }) => [name, ...Object.values(labels), value].join(" ")),
  );

test("windowGauges counts open windows by state, those that should be over, and takes the next start", () => {
  const open = [
    listed("MW-1", WindowState.BEGUN, -2, WindowVerdict.GO),
    listed("MW-2", WindowState.PLANNED, 3, WindowVerdict.NO_GO),
    listed("MW-3", WindowState.PLANNED, 2, WindowVerdict.UNKNOWN),
  ];
  expect(values(open)).toEqual([
    "planner_dc_windows planned 2",
    "planner_dc_windows begun 1",
    "planner_dc_windows_overdue 1",
    "planner_dc_next_window_seconds 7200",
    "planner_dc_window_verdict MW-1 1",
    "planner_dc_window_verdict MW-2 4",
    "planner_dc_window_verdict MW-3 3",
  ]);
});

test("windowGauges leaves out the next start without a planned window", () => {
  expect(values([])).toEqual([
    "planner_dc_windows planned 0",
    "planner_dc_windows begun 0",
    "planner_dc_windows_overdue 0",
  ]);
});
