import type { BlastAnswer } from "../api/screens.ts";
import { useCall } from "../api/use_call.ts";
import { counted, watts } from "../labels.ts";
import { FindingLine } from "./changes_panel.tsx";
import type { Kind, Values } from "./form_model.ts";
import { endText } from "./form_model.ts";

const IN_SERVICE: ReadonlySet<string> = new Set(["DEVICE_STATUS_ACTIVE", "DEVICE_STATUS_DECOMMISSIONING"]);
const OUT_OF_USE: ReadonlySet<string> = new Set(["OUTLET_STATE_DISABLED", "OUTLET_STATE_FAULTY"]);

/** Supply elements that a change takes out of service: what fails with it is asked before it is written. */
export function lostSources(kind: Kind, before: Values, after: Values | undefined): readonly string[] {
  if (kind === "rack") return after === undefined ? [`rack:${before["code"]}`] : [];
  if (kind === "cable")
    return after === undefined ? [before["a"], before["b"]].map((end) => `port:${endText(end)}`) : [];
  if (kind !== "device") return [];
  const code = String(before["code"]);
  const left = after === undefined || (isInService(before) && !isInService(after));
  return left ? [`device:${code}`] : lostOutlets(code, before, after);
}

function isInService({ status = "DEVICE_STATUS_ACTIVE" }: Values): boolean {
  return IN_SERVICE.has(String(status));
}

function lostOutlets(code: string, before: Values, after: Values): readonly string[] {
  const usable = new Set(outlets(after).map(({ name }) => name));
  return outlets(before)
    .filter(({ name }) => !usable.has(name))
    .map(({ name }) => `port:${code}/${name}`);
}

function outlets({ ports = [] }: Values): readonly { readonly name: string }[] {
  return (ports as readonly { name: string; kind: string; power_out?: { state?: string } }[]).filter(
    ({ kind, power_out }) => kind === "PORT_KIND_POWER_OUT" && !OUT_OF_USE.has(power_out?.state ?? ""),
  );
}

/** What goes dark when these sources are gone; nothing where they feed nothing. */
export function Impact({ sources }: { readonly sources: readonly string[] }) {
  const [source_ref, ...additional_source_refs] = sources;
  const request = { source_ref, additional_source_refs, max_items: 8, render: { format: "RENDER_FORMAT_NONE" } };
  const { reply, error } = useCall<BlastAnswer>("PowerBlastRadius", source_ref === undefined ? undefined : request);
  if (source_ref === undefined || error !== undefined || reply?.impact === undefined) return null;
  const { devices_offline, racks_dark, it_load_lost_w, devices_degraded } = reply.impact;
  if (devices_offline === 0 && devices_degraded === 0) {
    return <FindingLine state="ok" title="Nothing else loses power" />;
  }
  const devices = reply.affected.filter(({ kind }) => kind === "ITEM_KIND_DEVICE");
  const names = devices.map(({ code }) => code).join(", ");
  if (devices_offline === 0) {
    return (
      <FindingLine
        state="watch"
        title={`${counted(devices_degraded, "device")} ${devices_degraded === 1 ? "loses" : "lose"} one supply`}
      />
    );
  }
  return (
    <FindingLine state="fault" title={`${counted(devices_offline, "device")} would go dark`}>
      {counted(racks_dark, "rack")} dark, {watts(it_load_lost_w)} of IT load lost: {names}
      {devices_offline > devices.length ? ", …" : ""}
    </FindingLine>
  );
}
