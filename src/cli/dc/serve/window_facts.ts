import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type ListedWindow, WindowState } from "#gen/datacenter/v1/windows_pb.ts";
import type { GaugeFamily } from "#interfaces/http/metric_text.ts";

/** Ours: windows with a series of their verdict, the earliest first; a collector keeps each for weeks. */
const MAX_SERIES = 100;

/** Figures of open windows: planned or begun. */
export function windowGauges(open: readonly ListedWindow[], now: number): readonly GaugeFamily[] {
  const inState = (state: WindowState) => open.filter(({ window }) => window?.state === state);
  const overdue = open.filter(({ window }) => window?.endsAt !== undefined && timestampMs(window.endsAt) <= now);
  const starts = inState(WindowState.PLANNED).flatMap(({ window }) => {
    const start = window?.startsAt === undefined ? 0 : timestampMs(window.startsAt);
    return start > now ? start : [];
  });
  return [
    {
      name: "planner_dc_windows",
      help: "Maintenance windows that are open, by state.",
      samples: [
        { labels: { state: "planned" }, value: inState(WindowState.PLANNED).length },
        { labels: { state: "begun" }, value: inState(WindowState.BEGUN).length },
      ],
    },
    {
      name: "planner_dc_windows_overdue",
      help: "Open windows that should be over.",
      samples: [{ value: overdue.length }],
    },
    {
      name: "planner_dc_next_window_seconds",
      help: "Seconds until the next planned window begins.",
      samples: starts.length === 0 ? [] : [{ value: (Math.min(...starts) - now) / 1000 }],
    },
    {
      name: "planner_dc_window_verdict",
      help: "Verdict of an open window: 1 GO, 2 GO_WITH_RISK, 3 UNKNOWN, 4 NO_GO.",
      samples: open
        .slice(0, MAX_SERIES)
        .map(({ window, verdict }) => ({ labels: { window: window?.code ?? "" }, value: verdict })),
    },
  ];
}
