import { create } from "@bufbuild/protobuf";
import { listWindows } from "#dc/operations/planning/windows/list_windows.ts";
import type { DcService } from "#dc/service.ts";
import { ListWindowsRequestSchema, type ListWindowsResponse, WindowState } from "#gen/datacenter/v1/windows_pb.ts";
import { OperationError } from "#kernel/errors.ts";
import { isTimeZone } from "#kernel/zoned_time.ts";

/** A zone in which a command reads and prints times. */
export interface CommandZone {
  readonly name: string;
  /** Why it is this one; empty if a person named it. */
  readonly because: string;
  /** Whether racks have different ones, so that a time without an offset may mean either. */
  readonly ambiguous: boolean;
}

/** The zone of `--time-zone`, else that of the site. @throws OperationError for a name that is no zone */
export async function commandZone(service: DcService, asked: string | undefined): Promise<CommandZone> {
  if (asked === undefined) return siteZone(service);
  if (isTimeZone(asked)) return { name: asked, because: "", ambiguous: false };
  const expected = "a name of the IANA database, such as Europe/Amsterdam";
  throw new OperationError("invalid_argument", `Wrong value "${asked}" for --time-zone: expected ${expected}`);
}

/** "Times are those of UTC: no rack has the label time_zone". */
export function zoneNote({ name, because }: CommandZone): string {
  return `Times are those of ${name}${because === "" ? "" : `: ${because}`}`;
}

async function siteZone(service: DcService): Promise<CommandZone> {
  // The list names the zone; a list of windows that are cancelled is judged by nothing.
  const request = create(ListWindowsRequestSchema, { states: [WindowState.CANCELLED], pageSize: 1 });
  const reply = (await service.call(listWindows, request, { interface: "SYSTEM" })) as ListWindowsResponse;
  const { name = "UTC", note = "", ambiguous = false } = reply.timeZone ?? {};
  return { name, because: note, ambiguous };
}
