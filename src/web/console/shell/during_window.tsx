import { useEffect } from "preact/hooks";
import { shownWindow, useShownWindow } from "../api/during.ts";
import { useCall } from "../api/use_call.ts";
import { formatPageUrl, usePageAddress } from "../router.ts";

/** Matches pages that cannot show the state during a maintenance window. */
const CURRENT_STATE_PAGES = /^(?:trace|fabric|window|windows|history|readings|notices|import)$/;

/** Banner on every page while the inventory is shown as in a window, until the person returns or the window ends. */
export function DuringWindowBanner() {
  const code = useShownWindow();
  const { page } = usePageAddress();
  const request = code === "" ? undefined : { code, max_items: 1 };
  const { reply, error } = useCall("datacenter.v1.PlanningService/GetWindow", request);
  const isOver = error?.code === "not_found" || (reply?.window.code === code && reply.judgement === undefined);
  useEffect(() => {
    if (isOver) shownWindow.set("");
  }, [isOver]);
  if (code === "") return null;
  return (
    <p class="notice during" role="status">
      <span>
        {CURRENT_STATE_PAGES.test(page) ? "This page shows the inventory as it is now. Others are shown" : "Shown"} as
        during window <a href={formatPageUrl("window", code)}>{code}</a>: floors, racks, devices, lists, capacity,
        cooling, failures and placement.
      </span>
      <button type="button" onClick={() => shownWindow.set("")}>
        Back to now
      </button>
    </p>
  );
}
