import { useEffect } from "preact/hooks";
import { shownWindow, useShownWindow } from "../api/during.ts";
import { useCall } from "../api/use_call.ts";
import { formatPageUrl, usePageAddress } from "../router.ts";

/** Pages that ask nothing as during a window. */
const NOW = /^(?:trace|fabric|window|windows|history|readings|notices|import)$/;

/** Says on every page that the inventory is shown as during a window, until the person goes back or the window is over. */
export function DuringWindow() {
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
        {NOW.test(page) ? "This page shows the inventory as it is now. Others are shown" : "Shown"} as during window{" "}
        <a href={formatPageUrl("window", code)}>{code}</a>: floors, racks, devices, lists, capacity, cooling, failures
        and placement.
      </span>
      <button type="button" onClick={() => shownWindow.set("")}>
        Back to now
      </button>
    </p>
  );
}
