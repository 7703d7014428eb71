import type { SearchAnswer } from "../api/replies.ts";
import { useCall } from "../api/use_call.ts";
import { enumWord } from "../labels.ts";
import { linkTo } from "../router.ts";
import { useDelayed } from "../ui/use_delayed.ts";
import type { PaletteGroup } from "./options.ts";

/** Devices listed at once. */
const SHOWN = 8;
const REST_MS = 80;

interface Found {
  readonly groups: readonly PaletteGroup[];
  /** What a person has to know of the answer; empty for nothing. */
  readonly hint: string;
  readonly loading: boolean;
}

/** What the inventory has under these words. */
export function useFound(words: string): Found {
  const settled = useDelayed(words, REST_MS);
  const request = settled === "" ? undefined : { filter: { query: settled }, page_size: SHOWN };
  const { reply, error, loading } = useCall<SearchAnswer>("SearchDevices", request);
  if (words === "" || reply === undefined) {
    return { groups: [], hint: error?.message ?? "", loading: loading || settled !== words };
  }
  const options = reply.devices.map(({ code, kind, rack_code }) => ({
    id: `device-${code}`,
    icon: "device" as const,
    name: code,
    detail: [enumWord(kind, "DEVICE_KIND").toLowerCase(), rack_code === "" ? "" : `in ${rack_code}`].join(" "),
    run: () => {
      location.hash = linkTo("device", code);
    },
  }));
  return {
    groups: [{ name: "Devices", options, more: reply.total_count - options.length }],
    hint: error?.message ?? "",
    loading: loading || settled !== words,
  };
}
