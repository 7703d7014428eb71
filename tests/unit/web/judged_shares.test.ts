import { expect, test } from "bun:test";
import { findScaleToken } from "#dc/render/palette.ts";
import { findShareState as drawnState } from "#dc/render/parts/marks.ts";
import { judgeShare } from "#kernel/judge_share.ts";
import { listPreviewRows } from "#web/console/edit/preview_words.ts";
import { getVisibleShareState as shownState } from "#web/shared/state_of_share.ts";

const SHARES = [-5, 0, 0.1, 19.9, 79.99, 80, 89.9, 90, 99.999, 100, 100.1, 1000, Number.POSITIVE_INFINITY];

test("pages and pictures judge every share alike: 80 % is to be watched, 100 % and more is a fault", () => {
  for (const share of SHARES) {
    const judged = judgeShare(share);
    expect([share, judged]).toEqual([share, share >= 100 ? "fault" : share >= 80 ? "watch" : "ok"]);
    expect([share, shownState(share) ?? "ok", drawnState(share)]).toEqual([share, judged, judged]);
    expect([share, findScaleToken(share) === "scale5"]).toEqual([share, judged === "fault"]);
    expect([share, /^scale[34]$/.test(findScaleToken(share))]).toEqual([share, judged === "watch"]);
  }
});

test("a share of which nothing is known is never good, on pages and pictures", () => {
  // 0 W of 0 W is no share.
  for (const share of [undefined, 0 / 0]) {
    expect([judgeShare(share), shownState(share), drawnState(share)]).toEqual(["unknown", "unknown", "info"]);
  }
});

test("a preview of a rack without a recorded limit is not called good", () => {
  const rack = { rack_code: "R", health_before: "HEALTH_OK", health_after: "HEALTH_OK" } as const;
  const draws = { draw_w: { before: 100, after: 200 } };
  const power = (more: object) =>
    listPreviewRows({
      ...{
        results: [],
        revision: 1,
        omitted_devices: 0,
        refused: 0,
        supplies: [],
        omitted_supplies: 0,
        omitted_racks: 0,
        cooling: [],
        omitted_cooling: 0,
      },
      ...{ devices: [], lost_count: 0, reduced_count: 0, gained_count: 0, increased_count: 0 },
      ...{ new_findings: [], omitted_new_findings: 0, resolved_findings: [], omitted_resolved_findings: 0 },
      racks: [{ ...rack, ...draws, ...more }],
    }).find(({ label }) => label.endsWith(": power"))?.state;

  expect(power({})).toBe("unknown");
  expect(power({ power_capacity_w: { before: 1000, after: 1000 } })).toBe("ok");
  expect(power({ power_capacity_w: { before: 200, after: 200 } })).toBe("fault");
});
